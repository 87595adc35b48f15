import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { program } from '../support/program.ts';
import { serveProgram } from '../support/served-program.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/stores.ts';

const mountable = await canMount();

describe.runIf(mountable)('the program on a disk that is full', { tags: 'needs-mount' }, () => {
  const run = async (env: NodeJS.ProcessEnv, words: readonly string[]) =>
    await execa(...program(...words), { env, extendEnv: false, reject: false, stdin: 'ignore' });

  it.each(['16k', '200k', '600k'])('says so where init has %s, and begins anew when there is room', async (size) => {
    await using home = await temporaryFolder();
    await using disk = await mountSmallDisk(size);
    if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
    const env = { CONCLAVE_DATA_DIR: join(disk.path, 'data'), HOME: home.path, PATH: process.env['PATH'] };
    const said = await run(env, ['init', '--generate-password']);
    expect(said).toMatchObject({ exitCode: 8, stdout: '', stderr: expect.stringMatching(/^Error: .*disk.* is full/) });
    await disk.resize('32m');
    for (const words of [
      ['init', '--generate-password'],
      ['admin', 'store', 'verify'],
    ])
      expect(await run(env, words)).toMatchObject({ exitCode: 0 });
  });

  it('refuses what a served node would have to write, and takes it when there is room', async () => {
    await using home = await temporaryFolder();
    await using disk = await mountSmallDisk('8m');
    if (disk === undefined) throw new Error('the disk that could be mounted a moment ago cannot');
    const env = {
      CONCLAVE_DATA_DIR: join(disk.path, 'data'),
      CONCLAVE_PASSWORD: 'seven green bottles',
      HOME: home.path,
      PATH: process.env['PATH'],
    };
    await run(env, ['init', '--generate-password']);
    await using _ = await serveProgram(env);
    const register = async (name: string) =>
      await run(env, ['account', 'register', '--username', name, '--email', `${name}@home.test`, '--json']);
    const ballast = join(disk.path, 'ballast');
    await expect(writeFile(ballast, new Uint8Array(9 * 2 ** 20))).rejects.toThrow('ENOSPC');
    const said = [];
    // The log of the store has some room yet.
    for (let number = 0; number < 200 && said.at(-1)?.exitCode !== 8; number += 1)
      said.push(await register(`m${number}`));
    expect(said.at(-1)).toMatchObject({
      exitCode: 8,
      stdout: '',
      stderr: expect.stringContaining('"code":"STORE_FULL"'),
    });
    await rm(ballast);
    expect(await register('later')).toMatchObject({ exitCode: 0 });
    expect(await run(env, ['admin', 'store', 'verify'])).toMatchObject({ exitCode: 0 });
  });
});
