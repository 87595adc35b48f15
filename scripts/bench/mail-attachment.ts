// How fast an attachment of 25 MiB is uploaded and read back over HTTP, next to a file that is hashed, written and read; and what memory the
// server takes at most. Run after `npm run build`: npx tsx scripts/bench/mail-attachment.ts [--rounds 9]
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { domain, initMail, signIn, type SignedIn } from './mail-store.ts';
import { peakMiB, startConclave } from './server-process.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);
const bytes = randomBytes(25 * 1024 ** 2);
const leastSpeed = 40;
/** In MB, as the speeds are. */
const mostMemory = 200;

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
try {
  const dataDir = join(folder, 'data');
  const env = initMail(dataDir);
  await using server = await startConclave(dataDir, { ...env, CONCLAVE_LIMITS_MAIL_STORING_PER_ACCOUNT: 'off' });
  const member = await signIn(server.port, dataDir);
  const speeds = { 'written to a file': [] as number[], 'read of a file': [] as number[] };
  const [up, down]: [number[], number[]] = [[], []];
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < rounds; round += 1) {
    const written = await speedOf(async () => await write(join(folder, 'file')));
    const read = await speedOf(async () => same(await readFile(join(folder, 'file'))));
    let uploadId = '';
    const uploaded = await speedOf(async () => void (uploadId = await upload(member)));
    const id = await send(member, uploadId);
    const downloaded = await speedOf(async () => same(await download(member, id)));
    await remove(member, id);
    if (round < 0) continue;
    speeds['written to a file'].push(written);
    speeds['read of a file'].push(read);
    up.push(uploaded);
    down.push(downloaded);
  }
  const peak = (await peakMiB(server.pid)) * 1.048576;
  const rows = [
    ['uploaded', median(up), median(speeds['written to a file'])],
    ['read back', median(down), median(speeds['read of a file'])],
  ] as const;
  printTable(
    ['an attachment of 25 MiB', 'measured', 'ratio to a file', 'wanted', ''],
    [
      ...rows.map(([what, speed, file]) => [
        what,
        `${speed.toFixed(0)} MB/s (a file ${file.toFixed(0)} MB/s)`,
        (speed / file).toFixed(2),
        `≥ ${leastSpeed} MB/s`,
        speed >= leastSpeed ? 'ok' : 'MISSED',
      ]),
      ['memory at most', `${peak.toFixed(0)} MB`, '', `< ${mostMemory} MB`, peak < mostMemory ? 'ok' : 'MISSED'],
    ],
  );
  if (rows.some(([, speed]) => !(speed >= leastSpeed)) || !(peak < mostMemory)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @returns megabytes a second */
async function speedOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return bytes.length / 1000 / (performance.now() - began);
}

function same(read: Uint8Array): void {
  if (Buffer.compare(bytes, read) !== 0) throw new Error('what was read differs from what was written');
}

/** Hashed, as a block is, and durable. */
async function write(path: string): Promise<void> {
  await using file = await open(path, 'w');
  createHash('sha3-512').update(bytes).digest();
  await file.writeFile(bytes);
  await file.sync();
}

async function ask({ base, headers }: SignedIn, method: string, path: string, body?: unknown): Promise<Response> {
  const isRaw = body instanceof Uint8Array;
  const answer = await fetch(`${base}/api/emails${path}`, {
    method,
    headers: { ...headers, 'content-type': isRaw ? 'application/octet-stream' : 'application/json' },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function upload(member: SignedIn): Promise<string> {
  const { data } = (await (await ask(member, 'POST', '/uploads', bytes)).json()) as { data: { uploadId: string } };
  return data.uploadId;
}

async function send(member: SignedIn, uploadId: string): Promise<string> {
  const own = { localPart: member.username, domain };
  const message = { from: own, to: [own], subject: 'A file', textBody: 'See there.', attachments: [{ uploadId }] };
  const { data } = (await (await ask(member, 'POST', '', message)).json()) as { data: { id: string } };
  return data.id;
}

async function download(member: SignedIn, id: string): Promise<Uint8Array> {
  return new Uint8Array(await (await ask(member, 'GET', `/${id}/attachments/0`)).arrayBuffer());
}

async function remove(member: SignedIn, id: string): Promise<void> {
  await ask(member, 'DELETE', `/${id}`);
}
