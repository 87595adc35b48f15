// How fast a file of 1 GiB is uploaded and downloaded over HTTP, next to SHA3-512 alone and to a bare server; what memory the server takes
// while 16 chunks of 8 MiB are on their way; and how soon the first byte of a range comes, for a small and a large file.
// Run after `npm run build`: npx tsx scripts/bench/files.ts [--rounds 5] [--mebibytes 1024] [--large 10240, a minute or more]
// [--engine sqljs] [--small]
import { createHash, randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inTurns, median, type Measured, ownFolder, ratioOf, report, settings, timed } from './harness.ts';
import { initStore, memoryMiB, startBareFile, startConclave, startEngine } from './server.ts';
import { openVault, upload, type Vault } from './vault-client.ts';
import { headOf, openWire } from './wire.ts';

const { rounds, mebibytes, large, engine } = settings(
  { rounds: 5, mebibytes: 1024, large: 0, engine: 'sqljs' },
  { rounds: 1, mebibytes: 32, large: 16 },
);
const MEBIBYTE = 1024 ** 2;
const size = mebibytes * MEBIBYTE;
/** Every chunk has the same bytes, which costs the client nothing; each is encrypted under a salt of its own. */
const chunk = randomBytes(8 * MEBIBYTE);
const part = (_: number, length: number): Uint8Array => chunk.subarray(0, length);

/** The thread needs only Node, and its program only says when it begins and ends: starting it is not measured. */
const hashing = `
const { parentPort, workerData } = require('node:worker_threads');
const { createHash, randomBytes } = require('node:crypto');
const piece = randomBytes(1024 ** 2);
parentPort.once('message', () => {
  const hash = createHash('sha3-512');
  for (let done = 0; done < workerData; done += piece.length) hash.update(piece);
  parentPort.postMessage(hash.digest('hex'));
});
parentPort.postMessage('ready');
`;

await using folder = await ownFolder();
await using database = await startEngine(engine);
const dataDir = join(folder.path, 'data');
const env = {
  ...initStore(dataDir, database.env),
  CONCLAVE_STORAGE_PER_MEMBER: '1TiB',
  CONCLAVE_LOG_LEVEL: 'error',
  CONCLAVE_RATE_LIMITS: 'off',
};
report(`Files on ${engine}`, [...(await speeds()), await memory(), ...(large > 0 ? [await ranges()] : [])]);

async function speeds(): Promise<Measured[]> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  const plain = join(folder.path, 'plain');
  await writePlain(plain);
  await using bare = await startBareFile(plain);
  let fileId = '';
  const pathOf = (): string => `/filevault/files/${fileId}`;
  const took = await inTurns(rounds, {
    alone: async () => size / 1000 / (await hashAlone(size)),
    async up(round) {
      const name = `file ${round}`;
      return await speedOf(async () => void (fileId = await upload(vault, { name, size, atOnce: 4 }, part)));
    },
    bareDown: async () => await speedOf(async () => await download(bare.port, '/', vault.token)),
    down: async () => await speedOf(async () => await download(server.port, pathOf(), vault.token)),
    async same(round) {
      if (round < 0) await assertSame(vault, pathOf());
      await vault.ask('POST', `/destroy/${fileId}`, {});
    },
  });
  const speed = (what: string, mine: number[], other: string, theirs: number[]) => ({
    what,
    value: median(mine),
    unit: 'MB/s',
    nextTo: `${other}, ${median(theirs).toFixed(0)} MB/s`,
    ratio: ratioOf(mine, theirs),
  });
  const uploading = `upload of ${mebibytes} MiB, 4 chunks at once`;
  return [
    { ...speed(uploading, took.up, 'SHA3-512 on all cores', took.alone), ratioAtLeast: 0.7 },
    { ...speed('download', took.down, 'bare node:http', took.bareDown), ratioAtLeast: 0.5 },
  ];
}

/** A server of its own, whose most ever is that of 16 chunks at once. In MB, as the bound is. */
async function memory(): Promise<Measured> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  await upload(vault, { name: 'many', size: Math.max(size, 128 * MEBIBYTE), atOnce: 16 }, part);
  const value = ((await memoryMiB(server.pid, 'most')) * MEBIBYTE) / 1e6;
  return { what: 'memory with 16 chunks of 8 MiB on their way', value, unit: 'MB', atMost: 250 };
}

/** The first byte of a kilobyte somewhere in a file of 10 MiB, and in a large one. */
async function ranges(): Promise<Measured> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  const sizes = { few: 10 * MEBIBYTE, many: large * MEBIBYTE };
  const files = {
    few: await upload(vault, { name: 'few', size: sizes.few, atOnce: 4 }, part),
    many: await upload(vault, { name: 'many', size: sizes.many, atOnce: 4 }, part),
  };
  using wire = await openWire(server.port);
  const firstByteMs = async (which: keyof typeof sizes): Promise<number> => {
    const start = Math.floor(Math.random() * (sizes[which] - 1024));
    const range = `range: bytes=${start}-${start + 1023}\r\n`;
    const answer = await wire.ask(headOf('GET', `/filevault/files/${files[which]}`, vault.token, 0, range));
    if (answer.status !== 206) throw new Error(`a range was answered ${answer.status}: ${answer.body.toString()}`);
    return answer.firstByteMs;
  };
  const works = { few: async () => await firstByteMs('few'), many: async () => await firstByteMs('many') };
  const took = await inTurns(300, works, { warmUps: 100 });
  const [small, value] = [median(took.few), median(took.many)];
  const what = `first byte of a range of ${large} MiB`;
  const nextTo = `of 10 MiB, ${small.toFixed(2)} ms`;
  return { what, value, unit: 'ms', nextTo, ratio: value / small, ratioAtMost: 4 };
}

/** @returns megabytes a second */
async function speedOf(work: () => Promise<void>): Promise<number> {
  return size / 1000 / (await timed(work));
}

async function writePlain(path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (let at = 0; at < size; at += chunk.length) await file.write(chunk, 0, Math.min(chunk.length, size - at));
}

async function download(port: number, path: string, token: string): Promise<void> {
  using wire = await openWire(port);
  const { status, length } = await wire.ask(headOf('GET', path, token), undefined, { keep: false });
  if (status !== 200 || length !== size) throw new Error(`a download was answered ${status} with ${length} bytes`);
}

async function assertSame({ port, token }: Vault, path: string): Promise<void> {
  const wanted = createHash('sha256');
  for (let at = 0; at < size; at += chunk.length) wanted.update(chunk.subarray(0, Math.min(chunk.length, size - at)));
  const found = createHash('sha256');
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
  for await (const piece of answer.body as AsyncIterable<Uint8Array>) found.update(piece);
  if (wanted.digest('hex') !== found.digest('hex'))
    throw new Error('what was downloaded differs from what was uploaded');
}

/** How long SHA3-512 alone takes on all cores for so many bytes. @returns milliseconds */
async function hashAlone(bytes: number): Promise<number> {
  const threads = availableParallelism();
  const workers = Array.from(
    { length: threads },
    () => new Worker(hashing, { eval: true, workerData: bytes / threads }),
  );
  const said = async (worker: Worker): Promise<void> =>
    await new Promise((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
    });
  await Promise.all(workers.map(said));
  const began = performance.now();
  const ended = workers.map(said);
  for (const worker of workers) worker.postMessage('begin', []);
  await Promise.all(ended);
  const took = performance.now() - began;
  await Promise.all(workers.map(async (worker) => await worker.terminate()));
  return took;
}
