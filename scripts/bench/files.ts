// How fast a file of 1 GiB is uploaded and downloaded over HTTP, next to SHA3-512 alone and to a bare server; what memory the server takes
// while 16 chunks of 8 MiB are on their way; and how soon the first byte of a range comes, for a small and a large file.
// Run after `npm run build`: npx tsx scripts/bench/files.ts [--rounds 5] [--mebibytes 1024] [--large 10240, a minute or more] [--database URL]
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openVault, upload, type Vault } from './files-client.ts';
import { hashAlone } from './hash-alone.ts';
import { initMail } from './mail-store.ts';
import { peakMiB, startBareFile, startConclave } from './server-process.ts';
import { median, printTable } from './table.ts';
import { headOf, openWire } from './wire.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    mebibytes: { type: 'string', default: '1024' },
    large: { type: 'string', default: '0' },
    database: { type: 'string' },
  },
});
const MEBIBYTE = 1024 ** 2;
const rounds = Number(values.rounds);
const size = Number(values.mebibytes) * MEBIBYTE;
const large = Number(values.large) * MEBIBYTE;
/** Every chunk has the same bytes, which costs the client nothing; each is encrypted under a salt of its own. */
const chunk = randomBytes(8 * MEBIBYTE);
const part = (_: number, length: number): Uint8Array => chunk.subarray(0, length);

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const results: Result[] = [];
try {
  const dataDir = join(folder, 'data');
  const database = values.database === undefined ? {} : { CONCLAVE_DATABASE: values.database };
  const env = {
    ...initMail(dataDir, database),
    CONCLAVE_STORAGE_PER_MEMBER: '1TiB',
    CONCLAVE_LOG_LEVEL: 'error',
    CONCLAVE_RATE_LIMITS: 'off',
  };
  results.push(...(await speeds(dataDir, env)), await memory(dataDir, env));
  if (large > 0) results.push(await ranges(dataDir, env));
} finally {
  await rm(folder, { recursive: true, force: true });
}
printTable(
  ['', 'measured', 'next to', 'ratio', 'bound', ''],
  results.map(({ what, value, other, ratio, bound, kept }) => [
    what,
    value,
    other,
    ratio.toFixed(2),
    bound,
    kept ? 'ok' : 'MISSED',
  ]),
);
if (results.some(({ kept }) => !kept)) process.exitCode = 1;

interface Result {
  readonly what: string;
  readonly value: string;
  readonly other: string;
  readonly ratio: number;
  readonly bound: string;
  readonly kept: boolean;
}

type Environment = Readonly<Record<string, string>>;

/** Alternating, so that a slow moment of the machine slows both. */
async function speeds(dataDir: string, env: Environment): Promise<Result[]> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  const plain = join(folder, 'plain');
  await writePlain(plain);
  await using bare = await startBareFile(plain);
  const [alone, up, bareDown, down]: [number[], number[], number[], number[]] = [[], [], [], []];
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < rounds; round += 1) {
    const hashed = size / 1000 / (await hashAlone(size));
    let fileId = '';
    const name = `file ${round}`;
    const uploaded = await speedOf(async () => void (fileId = await upload(vault, { name, size, atOnce: 4 }, part)));
    const path = `/filevault/files/${fileId}`;
    if (round < 0) await assertSame(vault, path);
    const sentBare = await speedOf(async () => await download(bare.port, '/', vault.token));
    const downloaded = await speedOf(async () => await download(server.port, path, vault.token));
    await vault.ask('POST', `/destroy/${fileId}`, {});
    if (round < 0) continue;
    alone.push(hashed);
    up.push(uploaded);
    bareDown.push(sentBare);
    down.push(downloaded);
  }
  const row = (what: string, mine: number[], name: string, theirs: number[], least: number): Result => {
    const ratio = median(mine.map((speed, at) => speed / (theirs[at] ?? Number.NaN)));
    const [value, other] = [mine, theirs].map((all) => `${median(all).toFixed(0)} MB/s`) as [string, string];
    return { what, value, other: `${name} ${other}`, ratio, bound: `≥ ${least}`, kept: ratio >= least };
  };
  return [
    row(`upload of ${size / MEBIBYTE} MiB, 4 chunks at once`, up, 'SHA3-512 on all cores', alone, 0.7),
    row('download', down, 'bare node:http', bareDown, 0.5),
  ];
}

/** A server of its own, whose most ever is that of 16 chunks at once. In MB, as the bound is. */
async function memory(dataDir: string, env: Environment): Promise<Result> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  await upload(vault, { name: 'many', size: Math.max(size, 128 * MEBIBYTE), atOnce: 16 }, part);
  const peak = ((await peakMiB(server.pid)) * MEBIBYTE) / 1e6;
  const what = 'memory with 16 chunks of 8 MiB on their way';
  return { what, value: `${peak.toFixed(0)} MB`, other: '', ratio: peak / 250, bound: '< 250 MB', kept: peak < 250 };
}

/** The first byte of a kilobyte somewhere in a file of 10 MiB, and in a large one. */
async function ranges(dataDir: string, env: Environment): Promise<Result> {
  await using server = await startConclave(dataDir, env);
  const vault = await openVault(server.port, dataDir);
  const sizes = { small: 10 * MEBIBYTE, large };
  const files = {
    small: await upload(vault, { name: 'small', size: sizes.small, atOnce: 4 }, part),
    large: await upload(vault, { name: 'large', size: sizes.large, atOnce: 4 }, part),
  };
  const took = { small: [] as number[], large: [] as number[] };
  using wire = await openWire(server.port);
  for (let round = -100; round < 300; round += 1) {
    for (const which of ['small', 'large'] as const) {
      const start = Math.floor(Math.random() * (sizes[which] - 1024));
      const range = `range: bytes=${start}-${start + 1023}\r\n`;
      const answer = await wire.ask(headOf('GET', `/filevault/files/${files[which]}`, vault.token, 0, range));
      if (answer.status !== 206) throw new Error(`a range was answered ${answer.status}: ${answer.body.toString()}`);
      if (round >= 0) took[which].push(answer.firstByteMs);
    }
  }
  const [small, big] = [median(took.small), median(took.large)];
  const ratio = big / small;
  const what = `first byte of a range of ${large / MEBIBYTE / 1024} GiB`;
  return {
    what,
    value: `${big.toFixed(2)} ms`,
    other: `of 10 MiB ${small.toFixed(2)} ms`,
    ratio,
    bound: '≤ 4',
    kept: ratio <= 4,
  };
}

/** @returns megabytes a second */
async function speedOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return size / 1000 / (performance.now() - began);
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
