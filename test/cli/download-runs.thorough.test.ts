import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, link, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { writeInRuns } from '../../src/cli/kit/body-files.ts';
import { downloadTo } from '../../src/client/bodies.ts';
import { Problem } from '../../src/base/problem.ts';
import type { Download } from '../../src/service/raw-bodies.ts';
import { depot, openDepot, type OpenDepot } from '../http/depot.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/stores.ts';

const megabyte = 1024 ** 2;
const program = fileURLToPath(new URL('download-process.ts', import.meta.url));

/**
 * A file of the depot, of which the server gives so many bytes and then waits, or breaks off. Whoever asks for the rest alone gets an answer
 * that says so.
 */
function fileOf(content: Uint8Array) {
  const state = {
    content,
    /** how far it gives what it has */
    until: content.length,
    atEnd: 'wait' as 'wait' | 'break off',
    digests: true,
    /** where each reading began */
    asked: [] as number[],
    async get(): Promise<Download> {
      const bytes = state.content;
      return {
        type: 'application/octet-stream',
        version: createHash('sha256').update(bytes).digest('hex'),
        ...(state.digests && { digests: { sha256: createHash('sha256').update(bytes).digest() } }),
        content: {
          size: bytes.length,
          async *read({ start, end }) {
            state.asked.push(start);
            for (let at = start; at < end; at += 64 * 1024) {
              if (at >= state.until && state.atEnd === 'break off') throw new Error('made by a test');
              if (at >= state.until) await new Promise(() => {});
              yield bytes.subarray(at, Math.min(end, at + 64 * 1024));
            }
          },
        },
      };
    },
  };
  return state;
}

async function run(server: OpenDepot, path: string, what: unknown = 'a'): Promise<void> {
  await writeInRuns(path, what, async (sink, runs) => {
    await downloadTo(server, depot.get, { name: 'a' }, sink, { ...runs, patience: 0 });
  });
}

async function openScene(content: Uint8Array = randomBytes(3 * megabyte)) {
  const folder = await temporaryFolder();
  const file = fileOf(content);
  const server = await openDepot('over TCP', { get: file.get });
  return {
    file,
    server,
    folder: folder.path,
    path: join(folder.path, 'a.bin'),
    /** a first run, which is cut off in the middle */
    async cutOff(): Promise<void> {
      Object.assign(file, { until: 2 * megabyte, atEnd: 'break off' });
      await expect(run(server, join(folder.path, 'a.bin'))).rejects.toMatchObject({ kind: 'internal' });
      Object.assign(file, { until: content.length });
      file.asked.length = 0;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('a download in two runs', () => {
  it('goes on where the first one was when its process was killed', { tags: 'thorough' }, async () => {
    await using scene = await openScene();
    const { file, server, path, folder } = scene;
    file.until = 2 * megabyte;
    const child = spawn(process.execPath, ['--import', 'tsx', program, server.url, path], { stdio: 'inherit' });
    await eventually(async () => expect((await stat(`${path}.part`)).size).toBeGreaterThan(megabyte));
    expect((await readdir(folder)).toSorted()).toEqual(['a.bin.part', 'a.bin.part.json']);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { size } = await stat(`${path}.part`);
    file.until = file.content.length;
    await run(server, path);
    expect(file.asked).toEqual([0, size]);
    expect((await readFile(path)).equals(file.content)).toBe(true);
    expect(await readdir(folder)).toEqual(['a.bin']);
    expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it('goes on where the server broke off, and says so', async () => {
    await using scene = await openScene();
    const { file, server, path } = scene;
    Object.assign(file, { until: 2 * megabyte, atEnd: 'break off' });
    await expect(run(server, path)).rejects.toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('The received part is kept. Run the same command again to continue.') as string,
    });
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    file.until = file.content.length;
    await run(server, path);
    expect(file.asked.at(-1)).toBeGreaterThan(megabyte);
    expect((await readFile(path)).equals(file.content)).toBe(true);
  });

  it('begins anew when the server has another content', async () => {
    await using scene = await openScene();
    const { file, server, path } = scene;
    await scene.cutOff();
    file.content = randomBytes(3 * megabyte);
    await run(server, path);
    expect(file.asked).toEqual([0]);
    expect((await readFile(path)).equals(file.content)).toBe(true);
  });

  it('begins anew where something else was asked for', async () => {
    await using scene = await openScene();
    await scene.cutOff();
    await run(scene.server, scene.path, 'b');
    expect(scene.file.asked).toEqual([0]);
  });

  it('is refused, and leaves nothing, where what was kept came to harm', async () => {
    await using scene = await openScene();
    const { file, server, path, folder } = scene;
    await scene.cutOff();
    const kept = await readFile(`${path}.part`);
    kept[5]! ^= 1;
    await writeFile(`${path}.part`, kept);
    await expect(run(server, path)).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
    expect(await readdir(folder)).toEqual([]);
    await run(server, path);
    expect((await readFile(path)).equals(file.content)).toBe(true);
  });

  it('asks for the last byte of what came whole and had not got its name', async () => {
    await using scene = await openScene();
    const { file, server, path } = scene;
    await scene.cutOff();
    await writeFile(`${path}.part`, file.content);
    await run(server, path);
    expect(file.asked).toEqual([file.content.length - 1]);
    expect((await readFile(path)).equals(file.content)).toBe(true);
  });

  it('keeps nothing where nobody could tell whether it is whole, or the server refuses', async () => {
    await using scene = await openScene();
    const { file, server, path, folder } = scene;
    file.digests = false;
    Object.assign(file, { until: 2 * megabyte, atEnd: 'break off' });
    await expect(run(server, path)).rejects.toMatchObject({ kind: 'internal' });
    expect(await readdir(folder)).toEqual([]);
    file.digests = true;
    await scene.cutOff();
    const gone = await openDepot('over TCP', {
      get: async () => await Promise.reject(new Problem('missing', 'NOT_FOUND', 'Gone.')),
    });
    await expect(run(gone, path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await gone[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['somebody else may write', async (path: string) => await chmod(path, 0o666)],
    ['has a second name', async (path: string) => await link(path, `${path}.second`)],
    [
      'is a link',
      async (path: string) => {
        await writeFile(`${path}.other`, 'theirs', { mode: 0o600 });
        await rm(path);
        await symlink(`${path}.other`, path);
      },
    ],
  ])('writes into nothing that %s', async (_what, change) => {
    await using scene = await openScene();
    const { file, server, path } = scene;
    await scene.cutOff();
    await change(`${path}.part`);
    const before = await readFile(`${path}.part`);
    await run(server, path);
    expect(file.asked).toEqual([0]);
    expect((await readFile(path)).equals(file.content)).toBe(true);
    expect((await readFile(`${path}.part`)).equals(before)).toBe(true);
  });

  it('leaves files of others alone that have such a name', async () => {
    await using scene = await openScene();
    const { file, server, path } = scene;
    for (const name of [`${path}.part`, `${path}.part.json`]) await writeFile(name, 'mine', { mode: 0o600 });
    await run(server, path);
    for (const name of [`${path}.part`, `${path}.part.json`]) expect(await readFile(name, 'utf8')).toBe('mine');
    expect((await readFile(path)).equals(file.content)).toBe(true);
  });
});
