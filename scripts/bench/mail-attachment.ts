// How fast an attachment of 25 MiB goes into a message and comes back, durable and encrypted, next to encrypting the same bytes in this
// process; and how much memory the server takes. Run after `npm run build`:
//
//   npx tsx scripts/bench/mail-attachment.ts [rounds]
//
// Ends with 1 below 40 MB/s, or from 200 MB of memory on.
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initMail, signIn } from './mail-store.ts';
import { startConclave } from './server-process.ts';
import { median, printTable } from './table.ts';

const rounds = Number(process.argv[2] ?? 7);
const SIZE = 25 * 1024 ** 2;
const wanted = { megabytesPerSecond: 40, memoryMegabytes: 200 };

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
try {
  const env = initMail(dataDir, { CONCLAVE_LIMITS_MAIL_STORING_PER_ACCOUNT: '900000000/1d' });
  await using server = await startConclave(dataDir, env);
  const { base, username, headers } = await signIn(server.port, dataDir);
  // A sign-in takes 64 MiB for the hash of its password; what counts here is what comes after it.
  await writeFile(`/proc/${server.pid}/clear_refs`, '5');
  const own = { localPart: username, domain: 'bench.example' };
  const content = randomBytes(SIZE);
  const digest = createHash('sha256').update(content).digest('hex');
  const rates: Record<'encrypt' | 'send' | 'read', number[]> = { encrypt: [], send: [], read: [] };
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < rounds; round += 1) {
    const encrypt = await rateOf(async () => {
      const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12));
      cipher.update(content);
      cipher.final();
    });
    let id = '';
    const send = await rateOf(async () => {
      const upload = await ask('/api/emails/uploads', content, 'application/octet-stream');
      const attachments = [{ filename: 'a.bin', uploadId: upload['uploadId'] }];
      const message = JSON.stringify({ from: own, to: [own], subject: 'Large', textBody: 'x', attachments });
      id = String((await ask('/api/emails', message, 'application/json'))['id']);
    });
    let back = '';
    const read = await rateOf(async () => {
      const answer = await fetch(`${base}/api/emails/${id}/attachments/0`, { headers });
      const hash = createHash('sha256');
      for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) hash.update(piece);
      back = hash.digest('hex');
    });
    if (back !== digest) throw new Error('what came back is something else');
    if (round < 0) continue;
    rates.encrypt.push(encrypt);
    rates.send.push(send);
    rates.read.push(read);
  }
  const [encrypt, send, read] = [median(rates.encrypt), median(rates.send), median(rates.read)];
  const memory = await mostMegabytes(server.pid);
  const row = (what: string, rate: number) => [
    what,
    `${rate.toFixed(0)} MB/s`,
    (rate / encrypt).toFixed(3),
    `≥ ${wanted.megabytesPerSecond} MB/s`,
    rate >= wanted.megabytesPerSecond ? 'ok' : 'MISSED',
  ];
  const isSmall = memory < wanted.memoryMegabytes;
  printTable(
    ['25 MiB', 'measured', 'ratio to encrypting', 'wanted', ''],
    [
      row('uploaded and sent', send),
      row('read back', read),
      [
        'memory of the server',
        `${memory.toFixed(0)} MB`,
        '',
        `< ${wanted.memoryMegabytes} MB`,
        isSmall ? 'ok' : 'MISSED',
      ],
    ],
  );
  if (send < wanted.megabytesPerSecond || read < wanted.megabytesPerSecond || !isSmall) process.exitCode = 1;

  async function ask(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    type: string,
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(base + path, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @returns megabytes a second */
async function rateOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return SIZE / 1000 / (performance.now() - started);
}

/** The most resident memory since it was counted anew (proc(5)). Linux alone says it without another program. */
async function mostMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1_000_000;
}
