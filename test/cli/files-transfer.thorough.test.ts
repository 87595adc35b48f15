import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Grant from '../../commands/files/acl/grant.ts';
import Cat from '../../commands/files/cat.ts';
import Cp from '../../commands/files/cp.ts';
import Create from '../../commands/files/create.ts';
import Get from '../../commands/files/get.ts';
import Ls from '../../commands/files/ls.ts';
import Mkdir from '../../commands/files/mkdir.ts';
import Put from '../../commands/files/put.ts';
import Stat from '../../commands/files/stat.ts';
import Tree from '../../commands/files/tree.ts';
import Versions from '../../commands/files/versions.ts';
import Login from '../../commands/login.ts';
import { isRemote } from '../../src/cli/files/paths.ts';
import { excluding, nameMatches, pathMatches } from '../../src/cli/files/transfer/globs.ts';
import { localNames } from '../../src/cli/files/transfer/local-names.ts';
import { openHome, type Home } from './home.ts';

const env = { CONCLAVE_PASSWORD: 'seven green bottles' };
let home: Home;
/** a folder of this machine that no test before has used */
let count = 0;
const fresh = async (files: Readonly<Record<string, string | Buffer>> = {}): Promise<string> => {
  const folder = join(home.folder, `local-${(count += 1)}`);
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
};

beforeAll(async () => {
  home = await openHome('socket');
  for (const name of ['bob', 'ada'])
    await home.run(Register, ['--username', name, '--email', `${name}@example.org`], { env });
  await home.run(Login, ['ada'], { env });
  await home.run(Create, ['Work', '--quota', '1GiB']);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('patterns', () => {
  it('match as in a shell', () => {
    for (const [pattern, name] of [
      ['*', 'a.txt'],
      ['*.t?t', 'a.txt'],
      ['[a-c]*', 'beta'],
      ['[!a-c]*', 'delta'],
      ['a*b*c', 'aXbXbXc'],
      ['.*', '.hidden'],
      ['[', '['],
      ['e\u0301*', 'été'],
    ] as const)
      expect(nameMatches(pattern, name), `${pattern} ${name}`).toBe(true);
    for (const [pattern, name] of [
      ['*', '.hidden'],
      ['*.txt', 'a.txt.gz'],
      ['?', 'ab'],
      ['[a-c]', 'd'],
      ['a*b', 'a'],
    ] as const)
      expect(nameMatches(pattern, name), `${pattern} ${name}`).toBe(false);
    expect(nameMatches('*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(5_000))).toBe(false);
    expect(pathMatches(['**', '*.jpg'], ['a', 'b', 'c.jpg'])).toBe(true);
    expect(pathMatches(['**', '*.jpg'], ['c.jpg'])).toBe(true);
    expect(pathMatches(['a', '*.jpg'], ['a', 'b', 'c.jpg'])).toBe(false);
  });

  it('leave out names anywhere, paths from the top, and folders', () => {
    const leaves = excluding(['*.tmp', '/build', 'docs/*.pdf', 'cache/']);
    expect(leaves(['a', 'x.tmp'], false)).toBe(true);
    expect(leaves(['.x.tmp'], false)).toBe(true);
    expect(leaves(['build'], true)).toBe(true);
    expect(leaves(['a', 'build'], true)).toBe(false);
    expect(leaves(['docs', 'a.pdf'], false)).toBe(true);
    expect(leaves(['a', 'cache'], true)).toBe(true);
    expect(leaves(['a', 'cache'], false)).toBe(false);
  });

  it('tell what is here and what is at the server', () => {
    for (const path of ['Work:', 'Work:/a', 'A:B:/c', '0123456789abcdef0123456789abcdef'])
      expect(isRemote(path, 'linux')).toBe(true);
    for (const path of ['a', '/a', './Work:/a', 'a:b', ':', 'dir/Work:'])
      expect(isRemote(path, 'linux'), path).toBe(false);
    expect([isRemote('C:/x', 'win32'), isRemote('C:/x', 'linux')]).toEqual([false, true]);
  });
});

describe('names of a server', () => {
  it('become names that do no harm here', () => {
    const names = [
      '../../etc/passwd',
      'a/b',
      'con.txt',
      'a\u0000b',
      '\u001b[2Jx',
      '.gitignore',
      '..',
      'x\u202Efdp.exe',
      'A.txt',
      'a.txt',
      '-rf',
      'COM1',
      '/',
    ];
    const safe = localNames(names.map((name, at) => ({ name, id: `id${at}` })));
    expect(new Set(safe.map((name) => name.toLowerCase())).size).toBe(names.length);
    // oxlint-disable-next-line no-control-regex -- none of them may be left
    for (const name of safe) expect(name).not.toMatch(/[/\\\u0000-\u001f\u202e]|^\.*$|^-|^(?:con|com1)(?:\.|$)/i);
    expect(safe).toContain('.gitignore');
  });
});

describe('put', () => {
  it('takes patterns, leaves out what it should, and says what it would do', async () => {
    const folder = await fresh({ 'a.jpg': '1', 'b.png': '2', 'in/c.jpg': '3', 'in/d.tmp': '4', '.e.jpg': '5' });
    await home.run(Mkdir, ['Work:/globs']);
    const dry = await home.run(Put, [join(folder, '**/*.jpg'), 'Work:/globs', '--dry-run', '--json']);
    expect(dry.json()).toMatchObject({
      stored: [],
      planned: [join(folder, 'a.jpg'), join(folder, 'in', 'c.jpg')],
      failed: [],
    });
    expect((await home.run(Tree, ['Work:/globs'])).stdout).toBe('globs/\n');
    expect((await home.run(Put, [join(folder, '**/*.jpg'), 'Work:/globs'])).stdout).toBe('Stored 2 files, 2 bytes.\n');
    expect((await home.run(Put, [folder, 'Work:/globs', '--exclude', '*.tmp', '--exclude', 'b.*'])).code).toBe(0);
    const tree = await home.run(Tree, ['Work:/globs']);
    expect(tree.stdout).not.toMatch(/d\.tmp|b\.png/);
    expect(tree.stdout).toContain('.e.jpg');
    const some = await home.run(Put, [
      join(folder, '**/*.jpg'),
      'Work:/globs',
      '--exclude',
      'a.*',
      '--dry-run',
      '--force',
    ]);
    expect(some.stdout).toBe(`${join(folder, 'in', 'c.jpg')}\nWould store 1 file.\n`);
    const got = await home.run(Get, ['Work:/globs/*.jpg', folder, '--exclude', 'a.*', '--dry-run', '--force']);
    expect(got.stdout).toBe(`${join(folder, 'c.jpg')}\nWould receive 1 file.\n`);
    const none = await home.run(Put, [join(folder, '*.gif'), 'Work:/globs']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('Nothing matches')]);
  });

  it('sends nothing that is there already, unless it is forced', async () => {
    const folder = await fresh({ 'same.txt': 'the same' });
    await home.run(Put, [folder, 'Work:/same']).then(() => home.run(Mkdir, ['Work:/same']));
    const path = join(folder, 'same.txt');
    expect((await home.run(Put, [path, 'Work:/same'])).stdout).toBe('Stored 1 file, 8 bytes.\n');
    expect((await home.run(Put, [path, 'Work:/same'])).stdout).toBe(
      'Stored 0 files, 0 bytes. 1 file is there already.\n',
    );
    expect((await home.run(Put, [path, 'Work:/same', '--force', '--verify'])).stdout).toBe('Stored 1 file, 8 bytes.\n');
    expect((await home.run(Versions, ['Work:/same/same.txt', '--json'])).json().versions).toHaveLength(2);
  });

  it('takes standard input under a name, and leaves nothing of it on the disk', async () => {
    const before = await readdir(home.folder);
    const run = await home.run(Put, ['-', 'Work:/input.txt'], { stdin: 'from a pipe' });
    expect([run.code, run.stdout]).toEqual([0, 'Stored 1 file, 11 bytes.\n']);
    expect((await home.run(Cat, ['Work:/input.txt'])).stdout).toBe('from a pipe');
    expect(await readdir(home.folder)).toEqual(before);
    expect((await home.run(Put, ['-', 'Work:'], { stdin: 'x' })).stderr).toContain('has no name');
    expect((await home.run(Put, ['-', 'Work:/nothing'], { stdin: '' })).stderr).toContain('is empty');
    expect((await home.run(Put, ['-', 'a', 'Work:'], { stdin: 'x' })).stderr).toContain('goes alone');
  });

  it('goes on after a file that fails, names it at the end, and says so by its code', async () => {
    const folder = await fresh({ 'one.txt': '1', 'shut.txt': '2', 'two.txt': '3', empty: '' });
    const twin = await fresh({ 'one.txt': 'another' });
    await symlink('one.txt', join(folder, 'link'));
    await home.run(Mkdir, ['Work:/some']);
    await mkdir(join(folder, 'two.d'));
    await writeFile(join(folder, 'bad\u202ename.txt'), '4');
    const run = await home.run(Put, [folder, join(twin, 'one.txt'), join(folder, 'one.txt'), 'Work:/some', '--json']);
    expect(run.code).not.toBe(0);
    const said = run.json();
    expect(said.stored).toHaveLength(4);
    expect(said.failed.map(({ code }: { code: string }) => code).toSorted()).toEqual([
      'NAME_TAKEN',
      'VALIDATION_ERROR',
    ]);
    expect(said.skipped).toEqual([join(folder, 'empty'), join(folder, 'link')]);
    const plain = await home.run(Put, [folder, 'Work:/some']);
    expect(plain.stderr).toContain('link is a symbolic link. It was left out.');
    expect(plain.stderr).toMatch(/bad.*name\.txt/);
    if (process.getuid?.() === 0) return;
    await chmod(join(folder, 'shut.txt'), 0);
    expect((await home.run(Put, [folder, 'Work:/some', '--force'])).stderr).toContain('shut.txt cannot be read');
  });
});

describe('get', () => {
  it('receives several paths and patterns, with their times, and replaces only what it may', async () => {
    const folder = await fresh({ 'x/a.txt': 'a', 'x/b.txt': 'bb', 'x/c.md': 'c', 'x/y/d.txt': 'd' });
    const time = 1_700_000_000.123;
    await utimes(join(folder, 'x', 'a.txt'), time, time);
    await home.run(Put, [join(folder, 'x'), 'Work:']);
    const to = await fresh();
    const got = await home.run(Get, ['work:/X/*.TXT', 'Work:/x/c.md', to, '--json']);
    expect(got.json()).toMatchObject({
      received: [{ path: join(to, 'a.txt') }, { path: join(to, 'b.txt') }, { path: join(to, 'c.md') }],
    });
    expect(Math.floor((await stat(join(to, 'a.txt'))).mtimeMs)).toBe(
      Math.floor((await stat(join(folder, 'x', 'a.txt'))).mtimeMs),
    );
    await writeFile(join(to, 'b.txt'), 'mine');
    const refused = await home.run(Get, ['Work:/x/**/*.txt', to]);
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('b.txt exists already')]);
    expect(refused.stdout).toBe('Received 1 file, 1 byte. 1 file is there already.\n');
    expect(await readFile(join(to, 'b.txt'), 'utf8')).toBe('mine');
    expect((await home.run(Get, ['Work:/x/b.txt', to, '--force', '--verify'])).code).toBe(0);
    expect(await readFile(join(to, 'b.txt'), 'utf8')).toBe('bb');
    expect((await home.run(Get, ['Work:/x/*.gif', to])).code).toBe(6);
    expect((await home.run(Get, ['Work:/x/a.txt', '-'])).stdout).toBe('a');
    expect((await home.run(Get, ['Work:/x', to, '--exclude', 'y', '--dry-run'])).stdout).toContain(
      'Would receive 3 files.',
    );
    expect((await readdir(to)).toSorted()).toEqual(['a.txt', 'b.txt', 'c.md', 'd.txt']);
  });

  it('takes an id wherever a path stands, also of what is shared with the caller', { tags: 'soak' }, async () => {
    const folder = await fresh({ 'shared.txt': 'for bob', 'box/in.txt': 'in a box' });
    await home.run(Put, [join(folder, 'shared.txt'), join(folder, 'box'), 'Work:']);
    const { file } = (await home.run(Stat, ['Work:/shared.txt', '--json'])).json();
    const box = (await home.run(Ls, ['Work:/box', '--json'])).json().folder;
    for (const id of [file.id, box.id]) await home.run(Grant, [id, 'bob', '--level', 'viewer']);
    await home.run(Login, ['bob'], { env });
    try {
      expect((await home.run(Cat, [file.id])).stdout).toBe('for bob');
      expect((await home.run(Cat, [`${box.id}/IN.txt`])).stdout).toBe('in a box');
      expect((await home.run(Ls, [box.id])).stdout).toContain('in.txt');
      const to = await fresh();
      expect((await home.run(Get, [file.id, box.id, to])).stdout).toBe('Received 2 files, 15 bytes.\n');
      expect((await home.run(Cat, ['0'.repeat(32)])).code).toBe(6);
    } finally {
      await home.run(Login, ['ada'], { env });
    }
  });
});

describe('cp', () => {
  it('copies inside the vault, to it and from it', { tags: 'soak' }, async () => {
    const content = randomBytes(9 * 1024 ** 2);
    const folder = await fresh({ 'tree/large.bin': content, 'tree/in/small.txt': 'small' });
    const refused = await home.run(Cp, [join(folder, 'tree'), 'Work:']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Add --recursive')]);
    expect((await home.run(Cp, ['--recursive', join(folder, 'tree'), 'Work:'])).code).toBe(0);
    await home.run(Mkdir, ['Work:/copies']);
    expect((await home.run(Cp, ['Work:/tree', 'Work:/copies'])).stderr).toContain('Add --recursive');
    const copied = await home.run(Cp, ['--recursive', 'Work:/tree', 'Work:/copies', '--verify']);
    expect([copied.code, copied.stdout]).toEqual([0, 'Stored 2 files, 9.0 MiB.\n']);
    expect((await home.run(Cp, ['Work:/tree/in/small.txt', 'Work:/copies/other.txt'])).code).toBe(0);
    expect((await home.run(Cat, ['Work:/copies/other.txt'])).stdout).toBe('small');
    expect((await home.run(Cp, ['--recursive', 'Work:/tree', 'Work:/tree'])).stderr).toContain('into itself');
    expect((await home.run(Cp, [folder, folder])).code).toBe(2);
    const to = await fresh();
    expect((await home.run(Cp, ['--recursive', 'Work:/copies/tree', to])).code).toBe(0);
    expect((await readFile(join(to, 'tree', 'large.bin'))).equals(content)).toBe(true);
  });
});
