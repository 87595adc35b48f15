import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plainly } from '../../src/cli/files/ciphers.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { makeLink } from '../../src/cli/files/sharing/making-links.ts';
import { get, type GetOutcome } from '../../src/cli/files/transfer/getting.ts';
import { put } from '../../src/cli/files/transfer/putting.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { openSyncScene, removeHere, type Pair, type SyncScene } from './files-sync-scene.ts';
import { inStage } from '../support/stage.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

let scene: SyncScene;
let send: SyncScene['client']['transport']['send'];
beforeAll(async () => {
  scene = await openSyncScene();
  send = scene.client.transport.send.bind(scene.client.transport);
});
afterAll(() => scene[Symbol.asyncDispose]());
afterEach(() => void Object.assign(scene.client.transport, { send }));

/** From now on the server says something else. @param change gets the answers of matching requests, and may change them */
function lie(pattern: RegExp, change: (body: Json) => void): void {
  let asked = 0;
  const lying: typeof send = async (request, signal) => {
    const reply = await send(request, signal);
    if (!pattern.test(`${request.method} ${request.path}`)) return reply;
    if ((asked += 1) > 600) throw new Error('the client asks without end');
    const pieces: Uint8Array[] = [];
    for await (const piece of reply.body) pieces.push(piece);
    const body: Json = JSON.parse(Buffer.concat(pieces).toString());
    change(body);
    const changed = async function* () {
      yield Buffer.from(JSON.stringify(body));
    };
    return { ...reply, body: changed() };
  };
  Object.assign(scene.client.transport, { send: lying });
}

const flags = { force: false, dryRun: false, verify: false, exclude: [] };
const quiet = { report: () => {} };

async function receive({ folder }: Pair, to: string, more: Partial<typeof flags> = {}): Promise<GetOutcome> {
  const signal = new AbortController().signal;
  const given = { ...flags, ...more };
  return await get(scene.client, [parseRemotePath(folder.id)], to, given, quiet, signal, plainly);
}

async function target(): Promise<string> {
  const { root } = await scene.pair();
  return root;
}

const filesIn = (body: Json): Json[] => body.files ?? body.data?.files ?? [];
const foldersIn = (body: Json): Json[] => body.subfolders ?? body.data?.subfolders ?? [];

describe('files get', () => {
  it.each([false, true])(
    'writes nothing through a link of this machine (force %s)',
    { tags: 'thorough' },
    async (force) => {
      const pair = await scene.pair();
      await pair.makeThere('sub');
      await pair.makeThere('sub/deep');
      await pair.store('sub/deep/a', 'from the server');
      await pair.store('b', 'from the server');
      const [to, outside] = [await target(), await target()];
      await mkdir(join(to, pair.folder.name));
      await symlink(outside, join(to, pair.folder.name, 'sub'));
      const { received, failures } = await receive(pair, to, { force });
      expect(await readdir(outside)).toEqual([]);
      expect(received.received.map(({ path }) => path)).toEqual([join(to, pair.folder.name, 'b')]);
      expect(failures.list.map(({ message }) => message)).toContainEqual(expect.stringMatching(/is a symbolic link/));
      expect(failures.exitCode).not.toBe(0);
    },
  );

  it('replaces no file that it has just received', async () => {
    const pair = await scene.pair();
    for (const name of ['one', 'two']) {
      await pair.makeThere(name);
      await pair.store(`${name}/a`, `text of ${name}`);
    }
    const ids = await Promise.all(['one/a', 'two/a'].map(async (path) => (await pair.at(path)).file?.id ?? ''));
    const to = await target();
    const signal = new AbortController().signal;
    const paths = ids.map(parseRemotePath);
    const { failures } = await get(scene.client, paths, to, { ...flags, force: true }, quiet, signal, plainly);
    expect(failures.list).toEqual([expect.objectContaining({ code: 'NAME_TAKEN' })]);
    expect(await readFile(join(to, 'a'), 'utf8')).toBe('text of one');
  });

  it.each(inStage([2 ** 50, -1], [2 ** 50, -1], [2 ** 80, 2 ** 50, -1, 0.5]))(
    'refuses a size that no file has: %d',
    async (size) => {
      const pair = await scene.pair();
      await pair.store('a', 'short');
      await pair.store('b', 'fine');
      lie(/^GET \/filevault\/folders/, (body) => {
        for (const file of filesIn(body)) if (file.name === 'a') file.sizeBytes = size;
      });
      const to = await target();
      const { received, failures } = await receive(pair, to);
      expect(failures.list).toEqual([expect.objectContaining({ code: 'BAD_REPLY' })]);
      expect(received.received.map(({ path }) => path)).toEqual([join(to, pair.folder.name, 'b')]);
      expect(await readdir(join(to, pair.folder.name))).toEqual(['b']);
    },
  );

  it('does not follow folders that are in each other', async () => {
    const pair = await scene.pair();
    await pair.makeThere('a');
    const { folder } = await pair.at('a');
    lie(/^GET \/filevault\/folders/, (body) => {
      if (foldersIn(body).length === 0) foldersIn(body).push({ ...folder });
    });
    await expect(receive(pair, await target())).rejects.toMatchObject({ code: 'BAD_REPLY' });
    await expect(pair.sync({ mode: 'pull', deletes: true })).rejects.toMatchObject({ code: 'BAD_REPLY' });
  });
});

describe('files put', () => {
  it.each([
    ['chunks', /^POST \/filevault\/upload\/init/, (body: Json) => void ((body.data ?? body).totalChunks = 2 ** 50)],
    ['a size of chunks', /^POST \/filevault\/upload\/init/, (body: Json) => void ((body.data ?? body).chunkSize = 0)],
    ['no chunks', /^POST \/filevault\/upload\/init/, (body: Json) => void ((body.data ?? body).totalChunks = 0)],
  ])('refuses %s that no upload has', async (_what, pattern, change) => {
    const pair = await scene.pair();
    await pair.write('a', 'text');
    lie(pattern, change);
    const local = [join(pair.root, 'a')];
    const to = parseRemotePath(pair.folder.id);
    const signal = new AbortController().signal;
    const terminal = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} };
    const { failures } = await put(terminal, scene.client, local, to, flags, quiet, signal, plainly);
    expect(failures.list).toEqual([expect.objectContaining({ code: 'BAD_REPLY' })]);
  });
});

describe('files put that goes on', () => {
  it('mixes no two states of a file, also where its size and time stay', { tags: 'soak' }, async () => {
    const pair = await scene.pair();
    const path = join(pair.root, 'a');
    const mebibyte = 1024 ** 2;
    const to = parseRemotePath(pair.folder.id);
    const terminal = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} };
    const write = async (letter: string): Promise<void> => {
      await writeFile(path, Buffer.alloc(17 * mebibyte, letter));
      await utimes(path, 1_600_000_000, 1_600_000_000);
    };
    const putUntil = async (stop: AbortController) =>
      await put(terminal, scene.client, [path], to, flags, quiet, stop.signal, plainly);
    /** Ends the command when two of its three chunks are stored. */
    const interrupted = async (): Promise<void> => {
      const stop = new AbortController();
      let stored = 0;
      Object.assign(scene.client.transport, {
        send: async (...given: Parameters<typeof send>) => {
          if (given[0].path.endsWith('/chunk/2'))
            await expect
              .poll(() => stored)
              .toBe(2)
              .then(() => stop.abort());
          const reply = await send(...given);
          if (/\/chunk\/[01]$/.test(given[0].path)) stored += 1;
          return reply;
        },
      });
      await expect(putUntil(stop)).rejects.toMatchObject({ name: 'AbortError' });
      Object.assign(scene.client.transport, { send });
    };
    const sentAgain = async (): Promise<string[]> => {
      const sent: string[] = [];
      Object.assign(scene.client.transport, {
        send: async (...given: Parameters<typeof send>) => {
          const [, chunk] = /\/chunk\/(\d)$/.exec(given[0].path) ?? [];
          if (chunk !== undefined) sent.push(chunk);
          return await send(...given);
        },
      });
      expect((await putUntil(new AbortController())).failures.list).toEqual([]);
      Object.assign(scene.client.transport, { send });
      return sent.toSorted();
    };
    await write('a');
    await interrupted();
    await write('b');
    expect(await sentAgain()).toEqual(['0', '1', '2']);
    expect(new Set((await pair.there())['a'])).toEqual(new Set(['b']));
    const open = await perform(scene.client, filevault.listUploads, {});
    expect(open.uploads.filter(({ targetFolderId }) => targetFolderId === pair.folder.id)).toEqual([]);
    await write('c');
    await utimes(path, 1_600_000_001, 1_600_000_001);
    await interrupted();
    // What has not changed goes on.
    expect(await sentAgain()).toEqual(['2']);
    expect(new Set((await pair.there())['a'])).toEqual(new Set(['c']));
  });
});

describe('files link', () => {
  it('shows no address that a terminal would take for a command', async () => {
    const pair = await scene.pair();
    await pair.store('a', 'text');
    const { file } = await pair.at('a');
    if (file === null) throw new Error('there is no file');
    lie(/^POST \/filevault\/share/, (body) => void ((body.data ?? body).url += '\u001b]0;owned\u0007'));
    await expect(makeLink(scene.client, file, { ciphers: plainly })).rejects.toMatchObject({ code: 'BAD_REPLY' });
  });
});

describe('files sync', () => {
  it('asks before it empties a server for a folder that it has never seen files in', async () => {
    const pair = await scene.pair();
    await pair.store('a', 'text');
    const push = { mode: 'push', deletes: true } as const;
    await expect(pair.sync({ ...push, allowEmpty: false })).rejects.toMatchObject({ code: 'SYNC_SIDE_EMPTY' });
    expect(await pair.there()).toEqual({ a: 'text' });
    await pair.sync(push);
    expect(await pair.there()).toEqual({});
  });

  it('asks before it follows a side that lost all its files and kept a folder', async () => {
    const pair = await scene.pair();
    for (const name of ['a', 'in/b']) await pair.write(name, name);
    await pair.sync();
    const before = await pair.here();
    lie(/^GET \/filevault\/folders/, (body) => void filesIn(body).splice(0));
    const emptied = pair.sync({ mode: 'pull', deletes: true, allowEmpty: false });
    await expect(emptied).rejects.toMatchObject({ code: 'SYNC_SIDE_EMPTY' });
    await expect(pair.sync({ allowEmpty: false })).rejects.toMatchObject({ code: 'SYNC_SIDE_EMPTY' });
    expect(await pair.here()).toEqual(before);
    Object.assign(scene.client.transport, { send });
    await removeHere(pair, 'a');
    await removeHere(pair, 'in/b');
    await expect(pair.sync({ allowEmpty: false })).rejects.toMatchObject({ code: 'SYNC_SIDE_EMPTY' });
    await pair.sync();
    expect(await pair.there()).toEqual({ in: '' });
  });

  it(
    'does not overwrite what changes here while it runs, also where the time of the file stays',
    { tags: 'thorough' },
    async () => {
      const pair = await scene.pair();
      await pair.write('a', 'first text');
      const path = join(pair.root, 'a');
      const [atime, mtime] = [1_600_000_000, 1_600_000_000];
      await utimes(path, atime, mtime);
      await pair.sync();
      await pair.store('a', 'from there');
      let changed = false;
      const now = async (): Promise<void> => {
        if (changed) return;
        changed = true;
        await writeFile(path, 'mine, here');
        await utimes(path, atime, mtime);
      };
      Object.assign(scene.client.transport, {
        send: async (...given: Parameters<typeof send>) => {
          if (/\/versions\/[0-9a-f]+\/download$/.test(given[0].path)) await now();
          return await send(...given);
        },
      });
      await pair.sync();
      Object.assign(scene.client.transport, { send });
      expect(changed).toBe(true);
      await pair.sync();
      const texts = Object.values(await pair.here());
      expect(texts.toSorted()).toEqual(['from there', 'mine, here']);
    },
  );

  it('keeps files at the server whose names are those of its own parts', async () => {
    const pair = await scene.pair();
    const id = '0123456789abcdef0123456789abcdef';
    const names = [`.conclave-${id}.part`, `.conclave-${id}.part.log`, `.conclave-${id}.moving`, 'plain'];
    for (const name of names) await pair.store(name, `text of ${name}`);
    const before = await pair.there();
    for (let run = 0; run < 3; run += 1) await pair.sync();
    expect(await pair.there()).toEqual(before);
    expect(await readFile(join(pair.root, 'plain'), 'utf8')).toBe('text of plain');
  });
});
