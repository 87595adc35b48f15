import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { MailHome } from './mail-home.ts';
import {
  addAtServer,
  makeFolders,
  pictureOfMaildir,
  openSyncHome,
  pictureOfServer,
  type SyncHome,
} from './sync-scene.ts';

/** Programs that read a Maildir. Those that are not installed are left out. */
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

describe('a Maildir that is synchronised is at home in', { tags: 'needs-program' }, () => {
  let synced: SyncHome;
  let home: MailHome;
  let client: Client;
  let root: string;
  beforeAll(async () => {
    synced = await openSyncHome();
    ({ home, client } = synced);
  });
  afterAll(async () => await synced[Symbol.asyncDispose]());
  beforeEach(async () => {
    root = await synced.fresh();
    for (const number of [1, 2, 3]) await addAtServer(client, number);
    await sync();
  });
  const sync = async () => await synced.sync(root);

  /** What both sides have. */
  const picture = async () => {
    const here = await pictureOfMaildir(root);
    expect(await pictureOfServer(client)).toEqual(here);
    return here;
  };

  it.skipIf(!has('notmuch'))('notmuch, whose tags are flags at the server', async () => {
    const config = join(home.folder, `notmuch`);
    const lines = [
      '[database]',
      `path=${root}`,
      '[user]',
      'name=Alice',
      'primary_email=alice@home.example',
      '[new]',
      'tags=unread;inbox',
      'ignore=.conclave-sync.journal;/.*[.]lock/',
      '[maildir]',
      'synchronize_flags=true',
      '',
    ];
    await writeFile(config, lines.join('\n'));
    const notmuch = async (...words: string[]) =>
      (await execa('notmuch', words, { env: { NOTMUCH_CONFIG: config, HOME: home.folder } })).stdout;
    await notmuch('new', '--quiet');
    expect(await notmuch('count', '*')).toBe('3');
    expect(await notmuch('search', '--output=messages', 'subject:"Number 2"')).toBe('id:2@far.example');
    await notmuch('tag', '-unread', '+flagged', '--', 'id:2@far.example');
    await notmuch('tag', '-unread', '+replied', '--', 'id:3@far.example');
    await sync();
    expect(await picture()).toEqual({ '': ['1:', '2:FS', '3:RS'] });
    await addAtServer(client, 4, 'inbox', 'S');
    await sync();
    await notmuch('new', '--quiet');
    expect(await notmuch('count', 'tag:unread')).toBe('1');
    expect(await notmuch('count', '*')).toBe('4');
  });

  it.skipIf(!has('mutt') || !has('script'))('mutt, which flags, deletes and moves', { tags: 'thorough' }, async () => {
    await makeFolders(root, '.Archive');
    const rc = join(home.folder, `muttrc`);
    const settings = [
      'set mbox_type=Maildir',
      `set folder="${root}"`,
      'set maildir_trash=no',
      'set delete=yes',
      'set move=no',
      'set wait_key=no',
      'set confirmappend=no',
      'set header_cache=""',
      'set sort=subject',
      'set quit=yes',
      '',
    ];
    await writeFile(rc, settings.join('\n'));
    const keys =
      '<tag-pattern>~s1$<enter><tag-prefix><flag-message><untag-pattern>.<enter>' +
      '<delete-pattern>~s2$<enter>' +
      `<tag-pattern>~s3$<enter><tag-prefix><save-message><kill-line>${join(root, '.Archive')}<enter>` +
      '<sync-mailbox><quit>';
    const command = `mutt -n -F ${rc} -f ${root} -e 'push ${keys}'`;
    await execa('script', ['-qec', command, '/dev/null'], {
      env: { HOME: home.folder, TERM: 'xterm' },
      stdin: 'ignore',
      timeout: 60_000,
    });
    await sync();
    expect(await picture()).toEqual({ '': ['1:F'], '.Archive': ['3:'], '.Trash': ['2:'] });
  });
});
