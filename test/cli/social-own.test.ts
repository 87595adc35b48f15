import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import Bookmark from '../../commands/social/bookmark.ts';
import Bookmarks from '../../commands/social/bookmarks.ts';
import Export from '../../commands/social/export.ts';
import AddFilter from '../../commands/social/filter/add.ts';
import RemoveFilter from '../../commands/social/filter/remove.ts';
import Filters from '../../commands/social/filters.ts';
import Import from '../../commands/social/import.ts';
import Archive from '../../commands/social/archive.ts';
import Join from '../../commands/social/join.ts';
import Leave from '../../commands/social/leave.ts';
import Lists from '../../commands/social/lists.ts';
import AddToList from '../../commands/social/list/add.ts';
import CreateList from '../../commands/social/list/create.ts';
import DeleteList from '../../commands/social/list/delete.ts';
import RemoveFromList from '../../commands/social/list/remove.ts';
import RenameList from '../../commands/social/list/rename.ts';
import ShowList from '../../commands/social/list/show.ts';
import PostCommand from '../../commands/social/post.ts';
import Timeline from '../../commands/social/timeline.ts';
import { openHome, rootPassword } from './home.ts';
import Login from '../../commands/login.ts';
import Register from '../../commands/account/register.ts';

it('what members keep for themselves is there as commands, over a server', { tags: 'thorough' }, async () => {
  await using home = await openHome('url');
  const env = { CONCLAVE_PASSWORD: 'Correct-horse-7-battery' };
  const registered = await home.run(Register, ['--username', 'bob', '--email', 'bob@example.org'], { env });
  expect(registered.code).toBe(0);
  await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
  const run = async (...[command, argv = [], options = {}]: Parameters<typeof home.run>) => {
    const { code, stdout, stderr } = await home.run(command, argv, options);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  await run(CreateList, ['Friends']);
  const unknown = await home.run(AddToList, ['friends', 'bob', 'nobodyx']);
  expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('There is no member "nobodyx".')]);
  expect(await run(AddToList, ['friends', 'bob'])).toContain('Added 1 member to Friends.');
  const stranger = await home.run(RemoveFromList, ['friends', 'bob', 'root']);
  expect([stranger.code, stranger.stderr]).toEqual([2, expect.stringContaining('"root" is not in it. Nobody was')]);
  expect(await run(Lists)).toMatch(/\tFriends\t1/);
  expect(await run(ShowList, ['Friends'])).toBe('bob\tbob\n');
  expect(await run(RenameList, ['Friends', 'Others'])).toContain('Renamed to Others.');
  expect(await run(RemoveFromList, ['Others', 'bob'])).toContain('Removed 1 member from Others.');
  await run(DeleteList, ['Others', '--yes']);
  expect(await run(CreateList, ['Colleagues', '--category'])).toContain('conclave social list add --category\n');
  expect(await run(Lists, ['--category'])).toMatch(/Colleagues/);

  const post = JSON.parse(await run(PostCommand, ['A post', '--json']));
  expect(await run(Timeline)).toContain('A post');
  expect(await run(Timeline, ['--category', 'colleagues'])).toBe('');
  expect((await home.run(Timeline, ['home', '--list', 'Nobody'])).code).toBe(6);
  expect((await home.run(Timeline, ['public', '--category', 'Colleagues'])).code).toBe(2);
  await run(Bookmark, [post['_id']]);
  expect(await run(Bookmarks)).toContain('A post');
  const line = (await run(Bookmarks, [], { person: [] })).split('\n').find((text) => text.includes('A post')) ?? '';
  expect([line.length <= 80, line]).toEqual([true, expect.stringContaining(post['_id'])]);
  for (const how of [['--all'], ['--limit', '60']]) expect(await run(Bookmarks, how)).toContain('A post');
  expect(await run(Bookmark, [post['_id'], '--undo'])).toBe('Bookmark removed.\n');
  await run(AddFilter, ['spoiler', '--hide', '--in', 'home', '--expires', '7d']);
  expect(await run(Filters)).toMatch(/spoiler\thide\thome/);
  await run(RemoveFilter, ['spoiler']);

  const csv = await home.file('follows.csv', 'bob\nnobody\n\u001b[2Jbob\n');
  expect(await run(Import, ['follows', csv, '--wait'])).toBe(
    'Imported follows: 1 new, 0 there before, 2 refused.\nline 2: nobody: There is no such member. (MEMBER_NOT_FOUND)\nline 3: \\x1b[2Jbob: There is no such member. (MEMBER_NOT_FOUND)\n',
  );
  expect((await home.run(Import, ['follows'], { person: [] })).stderr).toContain('FILE, or - for standard input');
  expect(await home.run(Import, ['--overwrite'])).toMatchObject({ code: 2, stdout: '' });
  expect((await home.run(Import, ['follows', csv, '--overwrite'])).stderr).toContain('--yes');
  const question = [['Also end all mutes that the file does not have?', 'n']] as const;
  const refused = await home.run(Import, ['mutes', csv, '--overwrite'], { person: question });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
  expect((await run(Import)).startsWith('Imported follows: 1 new')).toBe(true);
  expect(await run(Import, ['follows', csv, '--overwrite', '--yes', '--wait'])).toContain('1 there before');
  const out = join(home.folder, 'out.csv');
  await run(Export, ['follows', '--out', out]);
  expect(await readFile(out, 'utf8')).toMatch(/^Account address,.*\r\nbob@/);
  expect(await run(Export, ['blocks'])).toBe('');
  const asJson = JSON.parse(await run(Export, ['follows', '--json']));
  expect(asJson).toEqual({ what: 'follows', csv: await readFile(out, 'utf8') });

  await run(Archive, ['--create']);
  await expect.poll(async () => await run(Archive), { timeout: 60_000 }).toContain('is ready');
  const tar = join(home.folder, 'social.tar');
  await run(Archive, ['--out', tar]);
  expect(await readFile(tar, 'latin1')).toContain('A post');

  expect(await run(Leave, ['--yes'], { env: { CONCLAVE_PASSWORD: rootPassword } })).toContain('You left');
  expect((await home.run(Bookmark, [post['_id']])).stderr).toContain('To come back, run: conclave social join');
  await expect
    .poll(async () => await home.run(Join), { timeout: 60_000 })
    .toMatchObject({ code: 0, stdout: expect.stringContaining('Username\troot\n') });
  expect((await home.run(Join)).stderr).not.toBe('');
  await run(PostCommand, ['Back again']);
});
