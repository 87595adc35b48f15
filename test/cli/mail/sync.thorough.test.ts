import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import SyncCommand from '../../../commands/mail/sync.ts';
import { perform } from '../../../src/client/perform.ts';
import type { Client } from '../../../src/client/client.ts';
import { pathOf, scanMaildir, type LocalFile } from '../../../src/cli/mail/sync/scan.ts';
import { lockMaildir } from '../../../src/cli/mail/sync/lock.ts';
import { mail } from '../../../src/contract/mail.ts';
import { plainMessage, type MailHome } from './mail-home.ts';
import {
  addAtServer,
  leftovers,
  makeFolders,
  numberOf,
  openSyncHome,
  pictureOfMaildir,
  pictureOfServer,
  type SyncHome,
} from './sync-scene.ts';

describe('a Maildir and the mailbox', () => {
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
  });
  const sync = async () => await synced.sync(root);

  const equal = async (picture: Record<string, string[]>) => {
    expect(await pictureOfMaildir(root)).toEqual(picture);
    expect(await pictureOfServer(client)).toEqual(picture);
    expect(await leftovers(root)).toEqual([]);
  };
  const change = async (
    messageId: string,
    more: Omit<Parameters<typeof perform<typeof mail.changeMessage>>[2], 'messageId'>,
  ) => void (await perform(client, mail.changeMessage, { messageId, ...more }));
  const fileOf = async (number: number, directory = ''): Promise<LocalFile> => {
    for (const file of await scanMaildir(root))
      if (file.directory === directory && (await numberOf(root, file)) === String(number)) return file;
    throw new Error(`no file of ${number} in ${directory}`);
  };
  /** as other programs do it: `to` is a folder, or flags after a colon */
  const move = async (number: number, to: string, from = '') => {
    const file = await fileOf(number, from);
    const [directory = '', flags = file.flags] = to.split(':');
    await rename(pathOf(root, file), join(root, directory, 'cur', `${file.base}:2,${flags}`));
  };
  const put = async (number: number, directory: string, flags = '') => {
    await makeFolders(root, directory);
    await writeFile(join(root, directory, 'cur', `17.${number}.host:2,${flags}`), plainMessage(number));
  };

  it('become equal from either side, with folders, labels and flags', async () => {
    await addAtServer(client, 1);
    await addAtServer(client, 2, 'sent', 'FS');
    await change(await addAtServer(client, 3), { addLabels: ['Work 2.0', 'Old'] });
    await put(11, '', 'RS');
    await put(12, '.Trash', 'P');
    await put(13, '.Labels.Old', 'F');
    await put(14, '.Drafts', 'D');
    await sync();
    const picture = {
      '': ['11:RS', '1:', '3:'],
      '.Archive': ['13:F'],
      '.Drafts': ['14:'],
      '.Labels.Old': ['13:F', '3:'],
      '.Labels.Work 2%2E0': ['3:'],
      '.Sent': ['2:FS'],
      '.Trash': ['12:P'],
    };
    await equal(picture);
    const names = async () => (await scanMaildir(root)).map((file) => pathOf('', file));
    const before = await names();
    expect(before).toContain('cur/17.11.host:2,RS');
    const one = await fileOf(1);
    expect(one.part).toBe('new');
    expect(await readFile(pathOf(root, one), 'utf8')).toBe(plainMessage(1));
    expect((await stat(pathOf(root, one))).mode & 0o777).toBe(0o600);
    expect((await stat(pathOf(root, await fileOf(3)))).nlink).toBe(3);
    await sync();
    expect(await names()).toEqual(before);
    await equal(picture);
  });

  it('keep two messages apart whose names differ in their flags only', async () => {
    await makeFolders(root, '');
    await writeFile(join(root, 'cur', 'same:2,'), plainMessage(1));
    await writeFile(join(root, 'cur', 'same:2,S'), plainMessage(2));
    await sync();
    await sync();
    await equal({ '': ['1:', '2:S'] });
    const bases = (await scanMaildir(root)).map(({ base }) => base);
    expect(new Set(bases).size).toBe(2);
  });

  it('take over what one side changes', async () => {
    const [one = '', two = '', three = '', four = '', five = ''] = await Promise.all(
      [1, 2, 3, 4, 5].map(async (number) => await addAtServer(client, number)),
    );
    await sync();
    await change(one, { read: true, addKeywords: ['$flagged'] });
    await change(two, { folder: 'archive', addLabels: ['L'] });
    await perform(client, mail.removeMessage, { messageId: three });
    await move(4, ':PS');
    await move(5, '.Trash:S');
    await put(6, '');
    await sync();
    await equal({ '': ['1:FS', '4:PS', '6:'], '.Archive': ['2:'], '.Labels.L': ['2:'], '.Trash': ['5:S'] });
    await change(two, { removeLabels: ['L'] });
    await rm(pathOf(root, await fileOf(5, '.Trash')));
    await rm(pathOf(root, await fileOf(1)));
    await rm(join(root, '.Labels.L', 'cur'), { recursive: true });
    await link(pathOf(root, await fileOf(4)), join(root, '.Labels.L', 'new', 'copy'));
    await sync();
    await equal({ '': ['4:PS', '6:'], '.Archive': ['2:'], '.Labels.L': ['4:PS'], '.Trash': ['1:FS'] });
    expect([four, five].every((id) => id !== '')).toBe(true);
  });

  it('keep what both sides changed, by the rules', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (number) => await addAtServer(client, number, 'inbox', 'R')),
    );
    const [one = '', two = '', three = '', four = '', five = '', six = ''] = all;
    await change(six, { folder: 'trash' });
    await sync();
    // Flags: each as who changed it has it.
    await change(one, { read: true });
    await move(1, ':F');
    // A deletion wins over flags.
    await perform(client, mail.removeMessage, { messageId: two });
    await move(2, ':FS');
    await change(three, { read: true });
    await rm(pathOf(root, await fileOf(3)));
    // Of two moves, that at the server.
    await change(four, { folder: 'spam' });
    await move(4, '.Archive');
    // A move wins over a deletion for ever.
    await perform(client, mail.removeMessage, { messageId: five });
    await move(5, '.Archive');
    await change(six, { folder: 'inbox' });
    await rm(pathOf(root, await fileOf(6, '.Trash')));
    await sync();
    expect(await pictureOfServer(client)).not.toEqual({});
    await equal({ '': ['1:FS', '6:R'], '.Archive': ['5:R'], '.Spam': ['4:R'], '.Trash': ['3:RS'] });
  });

  it('make a new message of a draft that is moved to another folder, and leave what is no message alone', async () => {
    await addAtServer(client, 1, 'drafts');
    await addAtServer(client, 2);
    await sync();
    await move(1, '', '.Drafts');
    await move(2, '.Drafts');
    await makeFolders(root, '.Other');
    await writeFile(join(root, '.Other', 'new', 'theirs'), plainMessage(9));
    await writeFile(join(root, 'note.txt'), 'mine');
    await sync();
    await equal({ '': ['1:'], '.Drafts': ['2:'] });
    expect(await readFile(join(root, '.Other', 'new', 'theirs'), 'utf8')).toBe(plainMessage(9));
    expect(await readdir(root)).toContain('note.txt');
  });

  it('name what cannot be made equal, and go on', async () => {
    await makeFolders(root, '');
    await writeFile(join(root, 'new', 'empty'), '');
    await addAtServer(client, 1);
    const run = await home.run(SyncCommand, [root]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain(`Warning: ${join(root, 'new', 'empty')}: `);
    expect(run.stderr).toContain(`${root} has 1 message.`);
  });

  it('belong together, and to one process at a time', async () => {
    await sync();
    await using other = await lockMaildir(root);
    expect(other).toBeDefined();
    const refused = await home.run(SyncCommand, [root, '--json']);
    expect(refused.code).toBe(7);
    expect(JSON.parse(refused.stderr)).toMatchObject({
      error: { code: 'MAILDIR_IN_USE', message: `Another process synchronises ${root}. Try again when it has ended.` },
    });
    const foreign = join(home.folder, 'foreign');
    await mkdir(foreign);
    await writeFile(join(foreign, '.conclave-sync.journal'), '{"address":"bob@home.example"}\n');
    const run = await home.run(SyncCommand, [foreign, '--json']);
    expect(run.code).toBe(7);
    const message = `${foreign} belongs to the mailbox bob@home.example, and you are alice@home.example. Choose another folder.`;
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'MAILDIR_OF_ANOTHER', message } });
  });
});
