import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Acl from '../../commands/files/acl.ts';
import Grant from '../../commands/files/acl/grant.ts';
import Revoke from '../../commands/files/acl/revoke.ts';
import Cat from '../../commands/files/cat.ts';
import Containers from '../../commands/files/containers.ts';
import Create from '../../commands/files/create.ts';
import Destroy from '../../commands/files/destroy.ts';
import Get from '../../commands/files/get.ts';
import Lock from '../../commands/files/lock.ts';
import Ls from '../../commands/files/ls.ts';
import Mkdir from '../../commands/files/mkdir.ts';
import Mv from '../../commands/files/mv.ts';
import Put from '../../commands/files/put.ts';
import Restore from '../../commands/files/restore.ts';
import Rm from '../../commands/files/rm.ts';
import Search from '../../commands/files/search.ts';
import Stat from '../../commands/files/stat.ts';
import Tree from '../../commands/files/tree.ts';
import Unlock from '../../commands/files/unlock.ts';
import Versions from '../../commands/files/versions.ts';
import Login from '../../commands/login.ts';
import { openHome, type Home } from './home.ts';

const password = 'seven green bottles';
let home: Home;

beforeAll(async () => {
  home = await openHome('socket');
  for (const name of ['bob', 'ada'])
    await home.run(Register, ['--username', name, '--email', `${name}@example.org`], {
      env: { CONCLAVE_PASSWORD: password },
    });
  await home.run(Login, ['ada'], { env: { CONCLAVE_PASSWORD: password } });
  await home.run(Create, ['Work', '--quota', '1GiB']);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('files', () => {
  it('lists containers, and says how to make the first', async () => {
    const { stdout } = await home.run(Containers);
    expect(stdout).toMatch(/^Work\tactive\t\d+\t.*\t1\.0 GiB\t/);
    const wrong = await home.run(Create, ['Other', '--quota', 'lots']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"lots" is no size')]);
    const unknown = await home.run(Ls, ['Nothing:']);
    expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('There is no container "Nothing"')]);
  });

  it('stores folders with their files and times, and gets them back as they were', { tags: 'thorough' }, async () => {
    const folder = join(home.folder, 'photos');
    await mkdir(join(folder, 'inner'), { recursive: true });
    const [large, small] = [randomBytes(9 * 1024 ** 2), Buffer.from('small')];
    await writeFile(join(folder, 'large.jpg'), large);
    await writeFile(join(folder, 'inner', 'small.txt'), small);
    await writeFile(join(folder, 'empty.txt'), '');
    await symlink('/etc/passwd', join(folder, 'link'));
    await utimes(join(folder, 'large.jpg'), 1_700_000_000, 1_700_000_000);
    const put = await home.run(Put, [folder, 'Work:']);
    expect([put.code, put.stdout]).toEqual([0, 'Stored 2 files, 9.0 MiB.\n']);
    expect(put.stderr).toContain('empty.txt is empty');
    expect(put.stderr).toContain('link is a symbolic link');
    const tree = await home.run(Tree, ['Work:/photos']);
    expect(tree.stdout).toBe('photos/\n├── inner/\n│   └── small.txt\n└── large.jpg\n');
    const { stdout } = await home.run(Ls, ['work:/PHOTOS', '--sort', 'size', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ name: 'large.jpg', mimeType: 'image/jpeg' }] });
    const to = join(home.folder, 'back');
    const got = await home.run(Get, ['Work:/photos', to]);
    expect([got.code, got.stdout]).toEqual([0, 'Received 2 files, 9.0 MiB.\n']);
    expect((await readFile(join(to, 'large.jpg'))).equals(large)).toBe(true);
    expect((await stat(join(to, 'large.jpg'))).mtimeMs).toBe(1_700_000_000_000);
    // Into the folder that is there now, and then over what is in it.
    expect((await home.run(Get, ['Work:/photos', to])).code).toBe(0);
    const present = await home.run(Get, ['Work:/photos', to]);
    expect([present.code, present.stdout]).toEqual([0, 'Received 0 files, 0 bytes. 2 files are there already.\n']);
    await writeFile(join(to, 'photos', 'inner', 'small.txt'), 'mine!');
    const again = await home.run(Get, ['Work:/photos', to]);
    expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('exists already')]);
    expect((await home.run(Cat, ['Work:/photos/inner/small.txt'])).stdout).toBe('small');
  });

  it('makes a new version of a file that is there, and lists and restores versions', async () => {
    const path = await home.file('letter.txt', 'the first');
    await home.run(Put, [path, 'Work:/letter.txt']);
    await writeFile(path, 'the second');
    expect((await home.run(Put, [path, 'Work:/letter.txt'])).stdout).toBe('Stored 1 file, 10 bytes.\n');
    expect((await home.run(Versions, ['Work:/letter.txt'])).stdout).toMatch(
      /^2\tcurrent\t10 bytes\t.*\n1\t\t9 bytes\t/,
    );
    const restored = await home.run(Versions, ['Work:/letter.txt', '--restore', '1']);
    expect(restored.stdout).toMatch(/^3\tcurrent\t9 bytes/);
    expect((await home.run(Cat, ['Work:/letter.txt'])).stdout).toBe('the first');
    expect((await home.run(Versions, ['Work:/letter.txt', '--restore', '9'])).code).toBe(6);
  });

  it('makes, moves, removes and restores', async () => {
    expect((await home.run(Mkdir, ['Work:/a/b/c'])).code).toBe(6);
    expect((await home.run(Mkdir, ['Work:/a/b/c', '--parents'])).stdout).toBe('Created Work:/a/b/c.\n');
    expect((await home.run(Mkdir, ['Work:/A'])).code).toBe(7);
    await home.run(Put, [await home.file('note.txt', 'a note'), 'Work:/a']);
    expect((await home.run(Mv, ['Work:/a/note.txt', 'Work:/a/b/renamed.txt'])).code).toBe(0);
    expect((await home.run(Mv, ['Work:/a/b', 'Work:'])).code).toBe(0);
    expect((await home.run(Cat, ['Work:/b/renamed.txt'])).stdout).toBe('a note');
    const refused = await home.run(Rm, ['Work:/b']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Add --recursive')]);
    const removed = JSON.parse((await home.run(Rm, ['Work:/b', '--recursive', '--json'])).stdout);
    expect((await home.run(Ls, ['Work:/b'])).code).toBe(6);
    expect((await home.run(Restore, [removed.id])).stdout).toBe('Restored b.\n');
    const file = JSON.parse((await home.run(Rm, ['Work:/b/renamed.txt', '--json'])).stdout);
    expect((await home.run(Search, ['renamed', '--deleted', '--json'])).stdout).toContain(file.id);
    expect((await home.run(Restore, [file.id])).stdout).toBe('Restored renamed.txt.\n');
    const found = await home.run(Search, ['RENAMED', '--in', 'Work:/b', '--type', 'text', '--smaller', '1k']);
    expect(found.stdout).toMatch(/^renamed\.txt\t6\t/);
  });

  it('shows and changes who may do what', async () => {
    const granted = await home.run(Grant, ['Work:/a', 'bob', '--level', 'editor', '--networks', '10.0.0.0/8']);
    expect(granted.stdout).toMatch(/^bob\teditor\tread, write, .*\tfrom 10\.0\.0\.0\/8\t[0-9a-f]{24}\n$/);
    expect((await home.run(Grant, ['Work:/a', 'BOB', '--flags', 'none'])).stdout).toMatch(/^bob\tdenied\tnothing\t-/);
    expect((await home.run(Acl, ['Work:/a', '--json'])).stdout).toContain('"username": "bob"');
    expect((await home.run(Revoke, ['Work:/a', 'bob'])).stdout).toBe('');
    expect((await home.run(Revoke, ['Work:/a', 'bob'])).code).toBe(6);
    expect((await home.run(Grant, ['Work:/a', 'nobody', '--level', 'viewer'])).code).toBe(2);
    expect((await home.run(Grant, ['Work:/a', 'bob'])).code).toBe(2);
    expect((await home.run(Grant, ['Work:/a', 'bob', '--flags', 'fly'])).stderr).toContain('"fly" is no permission');
    expect((await home.run(Stat, ['Work:/a'])).stdout).toContain('(owner, from owner)');
  });

  it('locks, and destroys only what is confirmed', async () => {
    await home.run(Put, [await home.file('secret.txt', 'a secret'), 'Work:']);
    await home.run(Lock, ['Work']);
    expect((await home.run(Rm, ['Work:/secret.txt'])).code).toBe(5);
    await home.run(Unlock, ['Work']);
    const asked = await home.run(Destroy, ['Work:/secret.txt']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const { stdout } = await home.run(Destroy, ['Work:/secret.txt', '--yes']);
    expect(stdout).toMatch(/^Destroyed secret\.txt\.\nInventory {2}[0-9a-f]{64}\nLedger {5}[0-9a-f]{64}\n$/);
    expect((await home.run(Cat, ['Work:/secret.txt'])).code).toBe(6);
  });

  it('refuses what is no path', async () => {
    for (const path of ['', 'Work', 'a/b', ':', ':/x'])
      expect((await home.run(Ls, [path])).stderr, path).toContain('is no path');
    expect((await home.run(Put, ['one'])).stderr).toContain('where they go');
    expect((await home.run(Cat, ['Work:/a'])).stderr).toContain('is a folder. Name a file.');
    const missing = await home.run(Put, [join(home.folder, 'not there'), 'Work:']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('not there')]);
  });
});
