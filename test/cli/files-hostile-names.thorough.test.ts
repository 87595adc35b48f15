import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Create from '../../commands/files/create.ts';
import Get from '../../commands/files/get.ts';
import Mkdir from '../../commands/files/mkdir.ts';
import Mv from '../../commands/files/mv.ts';
import Put from '../../commands/files/put.ts';
import Login from '../../commands/login.ts';
import { openHome, type Home } from './home.ts';

const password = 'seven green bottles';
let home: Home;

beforeAll(async () => {
  home = await openHome('socket');
  const env = { CONCLAVE_PASSWORD: password };
  await home.run(Register, ['--username', 'ada', '--email', 'ada@example.org'], { env });
  await home.run(Login, ['ada'], { env });
  await home.run(Create, ['Names']);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('check 15, names on the disk of whoever gets files', () => {
  it('stay in the folder, mean no device, and are different files for different names', async () => {
    const names = [
      'CON',
      'nul.txt',
      'a:b.txt',
      'a?b.txt',
      'A_B.txt',
      '.bashrc',
      'bashrc',
      'dots...',
      'dots',
      '%2e%2e',
      '-rf',
    ];
    await home.run(Mkdir, ['Names:/all']);
    for (const name of names) {
      await home.run(Put, [await home.file('local.txt', `content of ${name}`), 'Names:/all/local.txt']);
      const moved = await home.run(Mv, ['Names:/all/local.txt', `Names:/all/${name}`]);
      expect(moved.code, name + moved.stderr).toBe(0);
    }
    await home.run(Mkdir, ['Names:/all/dots.']);
    await home.run(Put, [await home.file('inner.txt', 'inner'), 'Names:/all/dots./']);
    const to = join(home.folder, 'names');
    const got = await home.run(Get, ['Names:/all', to]);
    expect([got.code, got.stderr]).toEqual([0, expect.anything()]);
    const entries = await readdir(to, { withFileTypes: true });
    expect(new Set(entries.map(({ name }) => name.toLowerCase())).size).toBe(names.length + 1);
    const contents: string[] = [];
    for (const entry of entries) {
      expect(entry.name).not.toMatch(/^-|^\.\.?$|[<>:"|?*\\]|[. ]$|^(?:con|nul)(?:\.|$)/i);
      if (entry.isFile()) contents.push(await readFile(join(to, entry.name), 'utf8'));
      else expect(await readFile(join(to, entry.name, 'inner.txt'), 'utf8')).toBe('inner');
    }
    expect(contents.toSorted()).toEqual(names.map((name) => `content of ${name}`).toSorted());
  });
});
