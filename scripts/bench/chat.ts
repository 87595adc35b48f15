// Conversations. A message of 400 bytes to 1,000 listening sockets: how long until each has it, and how many frames a second next to a bare `ws` server
// that sends prebuilt frames to as many sockets. In one process: how long the event loop stands still for a new key of many members and for a message
// that many hear, a page of a conversation of 1,000,000 messages, and a client that comes back after 1,000 events.
// npx tsx scripts/bench/chat.ts [--members 100] [--sockets 10] [--messages 30] [--history 1000000] [--channel 5000] [--rounds 21] [--small]
import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ask, registerMember, type BenchMember } from './chat-client.ts';
import { inTurns, median, type Measured, ownFolder, report, settings } from './harness.ts';
import { epochs, history } from './chat-store.ts';
import { initStore, startConclave } from './server.ts';

const {
  members,
  sockets,
  messages,
  history: rows,
  channel,
  rounds,
} = settings(
  { members: 100, sockets: 10, messages: 30, history: 1_000_000, channel: 5_000, rounds: 21 },
  { members: 4, sockets: 5, messages: 5, history: 2_000, channel: 300, rounds: 3 },
);
const listeners = fileURLToPath(new URL('chat-sockets.ts', import.meta.url));
const bare = fileURLToPath(new URL('bare.ts', import.meta.url));
const BYTES = 400;

report(`A message to ${members * sockets} sockets`, await sending());
report('Keys', await epochs({ group: Math.min(255, channel), channel }));
report(`A conversation of ${rows} messages`, await history({ rows, rounds, missed: Math.min(1_000, rows) }));

interface Heard {
  readonly frames: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

interface Sockets extends Disposable {
  /** waits until each of them has heard so many messages */
  hear(messages: number): Promise<Heard>;
}

async function openSockets(wanted: object): Promise<Sockets> {
  const child = spawn(process.execPath, ['--import', 'tsx', listeners], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>(): Promise<T> => {
    const line = await lines.next();
    if (line.done === true) throw new Error('the sockets ended');
    return JSON.parse(line.value) as T;
  };
  child.stdin.write(`${JSON.stringify(wanted)}\n`);
  await next();
  return {
    async hear(count) {
      child.stdin.write(`${count}\n`);
      return await next<Heard>();
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** A text of 400 bytes that says when it was sent. */
function stamped(): string {
  const micros = `${process.hrtime.bigint() / 1_000n}`.padStart(15, '0');
  return `sent:${micros} `.padEnd(BYTES, 'all of what is said here is the same ');
}

async function sending(): Promise<Measured[]> {
  await using folder = await ownFolder();
  const env = initStore(folder.path);
  await using server = await startConclave(folder.path, {
    ...env,
    CONCLAVE_RATE_LIMITS: 'off',
    CONCLAVE_SERVER_CONNECTIONS_PER_ADDRESS: '20000',
  });
  const { port } = server;
  const people: BenchMember[] = [];
  for (let at = 0; at < members; at += 1) people.push(await registerMember(port, at));
  const [owner] = people as [(typeof people)[number]];
  const { id } = await ask<{ id: string }>(port, 'POST', '/api/channels', owner.token, {
    name: 'bench',
    visibility: 'public',
  });
  for (const { token } of people.slice(1)) await ask(port, 'POST', `/api/channels/${id}/join`, token, {});
  const say = async (at: number): Promise<void> =>
    void (await ask(port, 'POST', `/api/channels/${id}/messages`, people[at % people.length]?.token ?? '', {
      content: stamped(),
    }));

  const tokens = people.map(({ token }) => token);
  using ours = await openSockets({ port, path: '/ws', tokens, each: sockets, topic: `conversation:${id}` });
  await using plain = await startBare();
  using theirs = await openSockets({ port: plain.port, path: '/', tokens, each: sockets });

  const alone: Heard[] = [];
  for (let at = -3; at < messages; at += 1) {
    await say(at + 3);
    const heard = await ours.hear(1);
    if (at >= 0) alone.push(heard);
  }
  const together = await inTurns(5, {
    async ours() {
      const [heard] = await Promise.all([
        ours.hear(messages),
        ...Array.from({ length: messages }, async (_, at) => await say(at)),
      ]);
      return heard.frames / heard.seconds;
    },
    async bare() {
      plain.send(messages, stamped());
      const heard = await theirs.hear(messages);
      return heard.frames / heard.seconds;
    },
  });
  const p50 = median(alone.map((one) => one.p50));
  const p99 = median(alone.map((one) => one.p99));
  return [
    { what: 'until half of them have it', value: p50, unit: 'ms' },
    {
      what: 'until 99 of 100 have it',
      value: p99,
      unit: 'ms',
      nextTo: `half ${p50.toFixed(1)}`,
      ratio: p99 / p50,
      atMost: 100,
      ratioAtMost: 10,
    },
    {
      what: `frames a second, ${messages} messages at once`,
      value: median(together.ours),
      unit: '',
      nextTo: `bare ws ${median(together.bare).toFixed(0)}`,
      ratio: median(together.ours) / median(together.bare),
      ratioAtLeast: 0.6,
    },
  ];
}

interface Bare extends AsyncDisposable {
  readonly port: number;
  /** sends so many frames with this text to every socket */
  send(count: number, text: string): void;
}

/** A `ws` server that sends prebuilt frames to all its sockets. */
async function startBare(): Promise<Bare> {
  const child = spawn(process.execPath, ['--import', 'tsx', bare, 'sockets'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface({ input: child.stdout });
  const [address] = (await new Promise<string>((resolve) => lines.once('line', resolve))).split('\n') as [string];
  return {
    port: Number(new URL(address).port),
    send: (count, text) => void child.stdin.write(`${count} ${text}\n`),
    [Symbol.asyncDispose]: async () => void child.kill(),
  };
}
