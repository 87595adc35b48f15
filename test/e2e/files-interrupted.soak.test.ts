import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { openHoldingProxy, type HoldingProxy, type Passed } from '../support/holding-proxy.ts';
import { program, programLine } from '../support/program.ts';
import { temporaryFolder } from '../support/stores.ts';
import { lookLater } from './files-look.ts';
import { foundVault, sha256, startFilesServer, type FilesServer, type Place } from './files-server.ts';

const hasTerminal = (await execa('script', ['-qec', 'true', '/dev/null'], { reject: false })).exitCode === 0;

const MEBIBYTE = 1024 ** 2;
const CHUNK = 8 * MEBIBYTE;
const CHUNKS = 11;
const large = randomBytes((CHUNKS - 1) * CHUNK + 4 * MEBIBYTE + 77);
const small = ['a.txt', 'b.txt', 'c.txt'];
const stopped = 'Stopped. Run the same command again: it goes on where it stopped.';

interface World extends AsyncDisposable {
  readonly place: Place;
  readonly folder: string;
  readonly proxy: HoldingProxy;
  /** of a command, which talks to the proxy */
  readonly env: NodeJS.ProcessEnv;
  server: FilesServer;
  /** kills the server; whoever was talking to it hears so */
  kill(): void;
  restart(): Promise<void>;
}

/** A server with a container, and on this machine a folder `Photos` with three small files and a large one. */
async function openWorld(folder: string): Promise<World> {
  const local = join(folder, 'Photos');
  await mkdir(local);
  for (const name of small) await writeFile(join(local, name), `this is ${name}`);
  await writeFile(join(local, 'large.bin'), large);
  const place = await foundVault(join(folder, 'data'), { CONCLAVE_RATE_LIMITS: 'off' });
  const first = await startFilesServer(place);
  await first.ask('POST', '/vaults', { name: 'Home' });
  const proxy = await openHoldingProxy(first.url);
  const { PATH, TERM = 'xterm' } = process.env;
  const world: World = {
    place,
    folder,
    proxy,
    env: { PATH, TERM, HOME: folder, CONCLAVE_SERVER: proxy.url, CONCLAVE_TOKEN: place.token },
    server: first,
    kill() {
      world.server.kill();
      // Nobody listens there.
      proxy.cut('http://127.0.0.1:1');
    },
    async restart() {
      await world.server[Symbol.asyncDispose]();
      world.server = await startFilesServer(place);
      proxy.cut(world.server.url);
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await world.server[Symbol.asyncDispose]();
    },
  };
  return world;
}

function start({ env, folder }: World, words: readonly string[]) {
  return execa(...program('files', ...words), {
    env,
    extendEnv: false,
    cwd: folder,
    reject: false,
    stdin: 'ignore',
  });
}

/** On a terminal of its own, whose keys are the standard input. */
function startOnTerminal({ env, folder }: World, words: readonly string[]) {
  const options = { env, extendEnv: false, cwd: folder, reject: false, stdin: 'pipe' } as const;
  const child = execa(
    'script',
    ['-qec', `stty rows 24 cols 80; exec ${programLine('files', ...words)}`, '/dev/null'],
    options,
  );
  let shown = '';
  child.stdout.on('data', (piece: Buffer) => (shown += piece.toString()));
  return {
    ended: child,
    /** presses Ctrl-C when it shows how far it is */
    async interrupt(): Promise<void> {
      await expect.poll(() => shown, { interval: 20 }).toContain('\u001b[?25l');
      child.stdin.write('\u0003');
    },
  };
}

/** Of a large file these have passed when it is held in its middle: three of eight requests side by side are left for the others. */
const before = [0, 1, 2, 3, 4, 5];
const after = [6, 7, 8, 9, 10];

const isFinish = ({ path }: Passed): boolean => path.endsWith('/finalize');
/** the number of a chunk that is sent */
function chunkOf({ method, path }: Passed): number | undefined {
  return method === 'PUT' ? Number(/\/chunk\/(\d+)$/.exec(path)?.[1]) : undefined;
}
/** where a range that is received begins, in chunks */
function rangeOf({ method, range }: Passed): number | undefined {
  const begin = /^bytes=(\d+)-/.exec(range ?? '')?.[1];
  return method === 'GET' && begin !== undefined ? Number(begin) / CHUNK : undefined;
}
function sorted(all: readonly Passed[], of: (one: Passed) => number | undefined): number[] {
  return all.flatMap((one) => of(one) ?? []).toSorted((one, other) => one - other);
}
const wholeOnes = ({ passed }: HoldingProxy, from = 0): Passed[] => passed.slice(from).filter(({ whole }) => whole);

describe.skipIf(!hasTerminal)('check 25, a transfer that is broken off', { tags: 'needs-program' }, () => {
  it('goes on where it stopped: files put', { timeout: 300_000 }, async () => {
    await using folder = await temporaryFolder();
    await using world = await openWorld(folder.path);
    const { proxy } = world;
    const words = ['put', 'Photos', 'Home:'];
    proxy.hold((one) => (chunkOf(one) ?? 0) >= after[0]!);
    const first = startOnTerminal(world, words);
    const halfway = { timeout: 60_000, interval: 20 };
    await expect.poll(() => wholeOnes(proxy).filter(isFinish).length, halfway).toBe(small.length);
    // The small files have one chunk each.
    await expect.poll(() => sorted(wholeOnes(proxy), chunkOf), halfway).toEqual([0, 0, 0, ...before]);
    await first.interrupt();
    const shown = await first.ended;
    expect(shown.exitCode).toBe(130);
    assertOrderly(shown.stdout);

    // Then the server dies under the same command, and is started again.
    const held = proxy.passed.length;
    proxy.hold((one) => (chunkOf(one) ?? 0) >= 9);
    const second = start(world, words);
    await expect.poll(() => sorted(wholeOnes(proxy, held), chunkOf), halfway).toEqual([6, 7, 8]);
    world.kill();
    proxy.letPass();
    await world.restart();
    const done = await second;
    expect([done.exitCode, done.stdout, done.stderr]).toEqual([
      0,
      'Stored 1 file, 84 MiB. 3 files are there already.',
      '',
    ]);
    // What the server has acknowledged is not sent to it a second time, by neither of the two.
    expect(sorted(wholeOnes(proxy, held), chunkOf)).toEqual(after);
    expect(await contentsOf(world, 'Photos')).toEqual({
      ...Object.fromEntries(small.map((name) => [name, sha256(Buffer.from(`this is ${name}`))])),
      'large.bin': sha256(large),
    });
    await assertWhole(world);
  });

  it('goes on where it stopped: files get', { timeout: 300_000 }, async () => {
    await using folder = await temporaryFolder();
    await using world = await openWorld(folder.path);
    const { proxy } = world;
    expect((await start(world, ['put', 'Photos', 'Home:'])).exitCode).toBe(0);
    const to = join(folder.path, 'to');
    await mkdir(to);
    const words = ['get', 'Home:/Photos', to];
    const names = async (): Promise<string[]> => (await readdir(join(to, 'Photos')).catch(() => [])).toSorted();
    proxy.hold((one) => (rangeOf(one) ?? 0) >= after[0]!);
    const first = start(world, words);
    const halfway = { timeout: 60_000, interval: 20 };
    await expect.poll(() => sorted(wholeOnes(proxy), rangeOf), halfway).toEqual(before);
    await expect.poll(names, halfway).toEqual([...small, 'large.bin.part', 'large.bin.part.log']);
    const journal = async (): Promise<number | undefined> =>
      (await readFile(join(to, 'Photos', 'large.bin.part.log'), 'utf8')).match(/sha256/g)?.length;
    await expect.poll(journal, halfway).toBe(before.length);
    first.kill('SIGINT');
    const { exitCode, stdout, stderr } = await first;
    expect([exitCode, stdout, stderr]).toEqual([130, '', stopped]);

    const held = proxy.passed.length;
    proxy.hold((one) => (rangeOf(one) ?? 0) >= 9);
    const second = startOnTerminal(world, words);
    await expect.poll(() => sorted(wholeOnes(proxy, held), rangeOf), halfway).toEqual([6, 7, 8]);
    await expect.poll(journal, halfway).toBe(9);
    world.kill();
    // This one does not wait for the server.
    await second.interrupt();
    const shown = await second.ended;
    expect(shown.exitCode).toBe(130);
    assertOrderly(shown.stdout);

    const killed = proxy.passed.length;
    proxy.hold((one) => (rangeOf(one) ?? 0) >= 10);
    await world.restart();
    const third = start(world, words);
    await expect.poll(() => sorted(wholeOnes(proxy, killed), rangeOf), halfway).toEqual([9]);
    world.kill();
    proxy.letPass();
    await world.restart();
    const done = await third;
    expect([done.exitCode, done.stdout, done.stderr]).toEqual([
      0,
      'Received 1 file, 84 MiB. 3 files are there already.',
      '',
    ]);
    // Inside of a range too it goes on with the byte after the last one that came.
    expect(sorted(wholeOnes(proxy, held), rangeOf).map(Math.floor)).toEqual(after);
    expect(await names()).toEqual([...small, 'large.bin']);
    expect(sha256(await readFile(join(to, 'Photos', 'large.bin')))).toBe(sha256(large));
    for (const name of small) expect(await readFile(join(to, 'Photos', name), 'utf8')).toBe(`this is ${name}`);
  });
});

/** One line about it, no stack of an error, and a cursor that is seen again. */
function assertOrderly(shown: string): void {
  expect(shown).toContain(stopped);
  expect(shown).not.toMatch(/^\s+at |Error|undefined/m);
  expect(shown.lastIndexOf('\u001b[?25l')).toBeGreaterThan(-1);
  expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001b[?25l'));
}

async function contentsOf({ server }: World, folder: string): Promise<Record<string, string>> {
  const { folders } = await server.ask('GET', `/folders/resolve/${folder}`);
  const { files } = await server.ask('GET', `/folders/${folders.at(-1).id}`);
  const contents: Record<string, string> = {};
  for (const file of files) contents[file.name] = sha256((await server.fetch(`/filevault/files/${file.id}`)).bytes);
  return contents;
}

async function assertWhole(world: World): Promise<void> {
  await world.server[Symbol.asyncDispose]();
  const looked = await lookLater(world.place);
  expect(looked).toMatchObject({ missing: [], stray: [], unfinished: 0, counted: looked.right });
}
