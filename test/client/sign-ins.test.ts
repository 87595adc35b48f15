import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePrivateJson } from '../../src/client/private-json.ts';
import {
  noteToldOfPassword,
  readSignIn,
  removeSignIn,
  replaceSignIn,
  saveSignIn,
  signInFolder,
  withSignInLock,
} from '../../src/client/sign-ins.ts';

const signIn = (token: string) => ({ memberId: 'm', username: 'u', token });

describe('kept sign-ins', () => {
  let home: string;
  let folder: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'conclave-sign-ins-'));
    folder = join(home, 'conclave');
  });
  afterEach(async () => await rm(home, { recursive: true }));

  it('are one for each server, in a file of mode 0600 in a folder of mode 0700', async () => {
    expect(await readSignIn(folder, 'a')).toBeUndefined();
    await saveSignIn(folder, 'a', signIn('t1'));
    await saveSignIn(folder, 'b', signIn('t2'));
    await saveSignIn(folder, 'a', signIn('t3'));
    expect(await readSignIn(folder, 'a')).toEqual(signIn('t3'));
    expect(await readSignIn(folder, 'b')).toEqual(signIn('t2'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'sign-ins.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['sign-ins.json']);
  });

  it('are not read where others could have read or changed them', async () => {
    await saveSignIn(folder, 'a', signIn('t'));
    const path = join(folder, 'sign-ins.json');
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      await chmod(path, mode);
      await expect(readSignIn(folder, 'a')).rejects.toMatchObject({ kind: 'forbidden', code: 'SIGN_INS_EXPOSED' });
      await expect(saveSignIn(folder, 'b', signIn('t'))).rejects.toMatchObject({ code: 'SIGN_INS_EXPOSED' });
    }
  });

  it('are removed only while they are the ones that were meant', async () => {
    await saveSignIn(folder, 'a', signIn('new'));
    await removeSignIn(folder, 'a', 'old');
    expect(await readSignIn(folder, 'a')).toEqual(signIn('new'));
    await removeSignIn(folder, 'a', 'new');
    expect(await readSignIn(folder, 'a')).toBeUndefined();
  });

  it('say once in a session that the server has seen the password, and never where it has not', async () => {
    const told = async (token: string) => await noteToldOfPassword(folder, 'a', token);
    expect(await told('m')).toBe(false);
    await saveSignIn(folder, 'a', signIn('t1'));
    expect([await told('other'), await told('m'), await told('m')]).toEqual([false, true, false]);
    // The session goes on with another token.
    await withSignInLock(folder, async () => await replaceSignIn(folder, 'a', signIn('t2')));
    expect(await told('m')).toBe(false);
    expect(await readSignIn(folder, 'a')).toMatchObject({ token: 't2', toldOfPassword: true });
    await saveSignIn(folder, 'a', signIn('t3'));
    expect(await told('m')).toBe(true);
    await saveSignIn(folder, 'a', { ...signIn('t4'), byKey: true });
    await withSignInLock(folder, async () => await replaceSignIn(folder, 'a', signIn('t5')));
    expect(await readSignIn(folder, 'a')).toEqual({ ...signIn('t5'), byKey: true });
    expect(await told('m')).toBe(false);
  });

  it('lose none when several are kept at once', async () => {
    const servers = Array.from({ length: 20 }, (_, index) => `server-${index}`);
    await Promise.all(servers.map(async (server) => await saveSignIn(folder, server, signIn(server))));
    for (const server of servers) expect(await readSignIn(folder, server)).toEqual(signIn(server));
  });

  it('are not kept from anybody by the lock of a process that died', async () => {
    await mkdir(folder, { mode: 0o700 });
    const lock = join(folder, 'sign-ins.json.lock');
    await writeFile(lock, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    await saveSignIn(folder, 'a', signIn('t'));
    expect(await readSignIn(folder, 'a')).toEqual(signIn('t'));
  });

  it('say so when the file is damaged, and drop what is no sign-in', async () => {
    await saveSignIn(folder, 'a', signIn('t'));
    const path = join(folder, 'sign-ins.json');
    const damaged = { a: signIn('t\r\nx: y'), b: { token: 1 }, c: null, d: signIn('ok') };
    await writeFile(path, JSON.stringify({ version: 1, signIns: damaged }));
    for (const server of ['a', 'b', 'c', '__proto__', 'toString'])
      expect(await readSignIn(folder, server)).toBeUndefined();
    expect(await readSignIn(folder, 'd')).toEqual(signIn('ok'));
    for (const text of ['', '{', '[]', 'null', '{"signIns":null}']) {
      await writeFile(path, text);
      await expect(readSignIn(folder, 'a')).rejects.toMatchObject({ code: 'SIGN_INS_DAMAGED' });
    }
    expect(await readFile(path, 'utf8')).toBe('{"signIns":null}');
  });

  it('are what an error names, and not what stands in for them while they are written', async () => {
    const path = join(folder, 'sign-ins.json');
    await mkdir(join(path, 'in the way'), { recursive: true });
    const failed = (code: string) => ({ code, path, message: expect.stringMatching(new RegExp(` '${path}'$`)) });
    await expect(writePrivateJson(path, {})).rejects.toMatchObject({ ...failed('EISDIR'), syscall: 'rename' });
    expect(await readdir(folder)).toEqual(['sign-ins.json']);
    const missing = join(home, 'missing/servers.json');
    await expect(writePrivateJson(missing, {})).rejects.toMatchObject({ code: 'ENOENT', path: missing });
  });

  it.runIf(process.platform === 'linux')(
    'are named, and not their lock, where that cannot be made',
    { tags: 'needs-system' },
    async () => {
      // A folder that is there, in which nobody makes files.
      const path = '/proc/self/sign-ins.json';
      await expect(saveSignIn('/proc/self', 'a', signIn('t'))).rejects.toMatchObject({ path, syscall: 'open' });
    },
  );

  it('live by the XDG rules', () => {
    expect(signInFolder({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe(join('/x', 'conclave'));
    expect(signInFolder({ XDG_CONFIG_HOME: 'x', HOME: '/h' })).toBe(join('/h', '.config', 'conclave'));
    expect(signInFolder({ HOME: '/h' })).toBe(join('/h', '.config', 'conclave'));
  });
});
