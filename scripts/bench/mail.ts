// How many messages a second a node takes for its own members, each durable before it is answered, over HTTP next to a small durable write and
// over SMTP next to HTTP; how fast an attachment of 25 MiB is uploaded and read back over HTTP, next to a file that is hashed, written and
// read; and what memory the server takes at most for it.
// Run after `npm run build`: npx tsx scripts/bench/mail.ts [--seconds 5, of each measurement] [--rounds 3] [--attachments 9] [--engine sqljs]
// [--small]
import { createHash, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inTurns, median, type Measured, ownFolder, ratioOf, report, settings, timed } from './harness.ts';
import { load } from './load.ts';
import { conclave, domain, initStore, memoryMiB, signIn, type SignedIn, startConclave, startEngine } from './server.ts';
import { wireRequest } from './wire.ts';

const { seconds, rounds, attachments, engine } = settings(
  { seconds: 5, rounds: 3, attachments: 9, engine: 'sqljs' },
  { seconds: 1, rounds: 1, attachments: 1 },
);
const CONNECTIONS = { http: 32, smtp: 16 };
const reader = { localPart: 'reader', domain };
const text = 'word '.repeat(200);
const bytes = randomBytes(25 * 1024 ** 2);

await using folder = await ownFolder();
await using database = await startEngine(engine);
const dataDir = join(folder.path, 'data');
const env = { ...initStore(dataDir, database.env), CONCLAVE_LIMITS_MAIL_STORING_PER_ACCOUNT: 'off' };
conclave(['account', 'register', '--username', reader.localPart, '--email', 'reader@people.example'], {
  ...env,
  CONCLAVE_PASSWORD: 'a secret of this bench alone',
});
report(`E-mail on ${engine}`, [...(await messages()), ...(await attachment())]);

async function messages(): Promise<Measured[]> {
  const smtp = { CONCLAVE_SMTP: 'on', CONCLAVE_SMTP_PORT: '0', CONCLAVE_SMTP_TLS: 'off' };
  await using server = await startConclave(dataDir, { ...env, ...smtp });
  const member = await signIn(server.port, dataDir);
  const own = { localPart: member.username, domain };
  const message = { from: own, to: [reader], subject: 'A message', textBody: text };
  const posted = wireRequest('POST', '/api/emails', member.headers, JSON.stringify(message));
  const written = wireRequest('POST', '/api/user/settings', member.headers, '{"darkMode":true}');
  const rate = async (request: string, connections: number, status: 200 | 201): Promise<number> =>
    (await load({ port: server.port, request, status, connections, seconds })).perSecond;
  const asked = { name: 'A program', scopes: ['mail'] };
  const made = await (await member.ask('POST', '/api/user/app-passwords', asked)).json();
  const port = Number(/127\.0\.0\.1:(\d+), without TLS/.exec(server.said)?.[1]);
  const login: Login = { port, username: member.username, password: (made as { password: string }).password };
  const rates = await inTurns(rounds, {
    http: async () => await rate(posted, CONNECTIONS.http, 201),
    write: async () => await rate(written, CONNECTIONS.http, 200),
    few: async () => await rate(posted, CONNECTIONS.smtp, 201),
    smtp: async () => await submitted(login),
  });
  return [
    {
      what: `messages of 1 KiB to a member, ${CONNECTIONS.http} connections`,
      value: median(rates.http),
      unit: '/s',
      nextTo: `a small write, ${median(rates.write).toFixed(0)}/s`,
      ratio: ratioOf(rates.http, rates.write),
      atLeast: 300,
    },
    {
      what: `the same over SMTP, ${CONNECTIONS.smtp} connections`,
      value: median(rates.smtp),
      unit: '/s',
      nextTo: `as many over HTTP, ${median(rates.few).toFixed(0)}/s`,
      ratio: ratioOf(rates.smtp, rates.few),
      ratioAtLeast: 0.3,
    },
  ];
}

interface Login {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** Each connection signs in, and then submits one message after another. @returns messages a second */
async function submitted({ port, username, password }: Login): Promise<number> {
  let [count, began] = [0, 0];
  const submit = async (say: Say): Promise<void> => {
    await say(`MAIL FROM:<${username}@${domain}>`, 250);
    await say(`RCPT TO:<${reader.localPart}@${domain}>`, 250);
    await say('DATA', 354);
    const head = `From: ${username}@${domain}\r\nTo: ${reader.localPart}@${domain}\r\nSubject: A message\r\n`;
    await say(`${head}\r\n${text.match(/.{1,70} /g)?.join('\r\n')}\r\n.`, 250);
  };
  const connections = await Promise.all(Array.from({ length: CONNECTIONS.smtp }, async () => await openSmtp(port)));
  for (const { say } of connections) {
    await say('EHLO bench.example', 250);
    await say(`AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`, 235);
  }
  began = performance.now();
  await Promise.all(
    connections.map(async ({ say }) => {
      while (performance.now() < began + seconds * 1000) {
        await submit(say);
        count += 1;
      }
    }),
  );
  const took = performance.now() - began;
  for (const { end } of connections) end();
  return (count * 1000) / took;
}

type Say = (line: string, code: number) => Promise<void>;

async function openSmtp(port: number): Promise<{ readonly say: Say; readonly end: () => void }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const hear = async (code: number): Promise<void> => {
    for (;;) {
      const next: IteratorResult<string, undefined> = await lines.next();
      const line = next.value ?? 'the end';
      if (!line.startsWith(String(code))) throw new Error(`${code} was expected of SMTP, and came ${line}`);
      if (line[3] !== '-') return;
    }
  };
  await hear(220);
  const say: Say = async (line, code) => {
    socket.write(`${line}\r\n`);
    await hear(code);
  };
  return { say, end: () => void socket.destroy() };
}

/** A server of its own, for the most memory. */
async function attachment(): Promise<Measured[]> {
  await using server = await startConclave(dataDir, env);
  const member = await signIn(server.port, dataDir);
  let [uploadId, id] = ['', ''];
  const speeds = await inTurns(attachments, {
    written: async () => await speedOf(async () => await write(join(folder.path, 'file'))),
    read: async () => await speedOf(async () => same(await readFile(join(folder.path, 'file')))),
    up: async () => await speedOf(async () => void (uploadId = await upload(member))),
    sent: async () => void (id = await send(member, uploadId)),
    down: async () => await speedOf(async () => same(await download(member, id))),
    removed: async () => void (await member.ask('DELETE', `/api/emails/${id}`)),
  });
  const memory = (await memoryMiB(server.pid, 'most')) * 1.048576;
  const speed = (what: string, ours: number[], other: string, theirs: number[]): Measured => ({
    what: `an attachment of 25 MiB ${what}`,
    value: median(ours),
    unit: 'MB/s',
    nextTo: `a file ${other}, ${median(theirs).toFixed(0)} MB/s`,
    ratio: ratioOf(ours, theirs),
    atLeast: 40,
  });
  return [
    speed('uploaded', speeds.up, 'hashed and written', speeds.written),
    speed('read back', speeds.down, 'read', speeds.read),
    { what: 'memory for it at most', value: memory, unit: 'MB', atMost: 200 },
  ];
}

/** @returns megabytes a second */
async function speedOf(work: () => Promise<void>): Promise<number> {
  return bytes.length / 1000 / (await timed(work));
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

async function upload(member: SignedIn): Promise<string> {
  return ((await member.data('POST', '/api/emails/uploads', bytes)) as { uploadId: string }).uploadId;
}

async function send(member: SignedIn, uploadId: string): Promise<string> {
  const own = { localPart: member.username, domain };
  const message = { from: own, to: [own], subject: 'A file', textBody: 'See there.', attachments: [{ uploadId }] };
  return ((await member.data('POST', '/api/emails', message)) as { id: string }).id;
}

async function download(member: SignedIn, id: string): Promise<Uint8Array> {
  return new Uint8Array(await (await member.ask('GET', `/api/emails/${id}/attachments/0`)).arrayBuffer());
}
