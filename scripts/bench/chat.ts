// Conversations. A message of 400 bytes to 1,000 listening sockets: how long until each has it, and how many frames a second next to a bare `ws` server
// that sends prebuilt frames to as many sockets, how long the server's event loop stands still for one, and a client that comes back after 1,000 events.
// In one process: how long the event loop stands still for a new key of many members, and pages of a conversation of 1,000,000 messages.
// npx tsx scripts/bench/chat.ts [--members 100] [--sockets 10] [--messages 30] [--history 1000000] [--channel 5000] [--rounds 21]
// [--missed 1000] [--engine sqljs|postgres, for the pages] [--small]
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { text as wholeText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import WebSocket from 'crossws/websocket';
import { ask, registerMember, type BenchMember } from './chat-client.ts';
import { inTurns, median, type Measured, ownFolder, partOf, report, settings } from './harness.ts';
import { epochs, history } from './chat-store.ts';
import { initStore, startConclave } from './server.ts';

const {
  members,
  sockets,
  messages,
  history: rows,
  channel,
  rounds,
  missed,
  engine,
} = settings(
  {
    members: 100,
    sockets: 10,
    messages: 30,
    history: 1_000_000,
    channel: 5_000,
    rounds: 21,
    missed: 1_000,
    engine: 'sqljs',
  },
  { members: 4, sockets: 5, messages: 5, history: 2_000, channel: 300, rounds: 3, missed: 100 },
);
const listeners = fileURLToPath(new URL('chat-sockets.ts', import.meta.url));
const bare = fileURLToPath(new URL('bare.ts', import.meta.url));
const loopDelay = new URL('loop-delay.mjs', import.meta.url);
const BYTES = 400;

report(`A message to ${members * sockets} sockets`, await sending());
report('Keys', await epochs({ group: Math.min(255, channel), channel }));
report(`A conversation of ${rows} messages on ${engine}`, await history({ rows, rounds, engine }));

interface Heard {
  readonly frames: number;
  readonly seconds: number;
  /** milliseconds from sending to hearing of each frame */
  readonly delays: readonly number[];
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
    NODE_OPTIONS: `--import ${loopDelay.href}`,
    BENCH_LOOP_SOCKET: join(folder.path, 'loop.sock'),
  });
  const longestStall = async () => Number(await wholeText(connect(join(folder.path, 'loop.sock'))));
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
  const stalls: number[] = [];
  for (let at = -3; at < messages; at += 1) {
    await longestStall();
    await say(at + 3);
    const heard = await ours.hear(1);
    const stall = await longestStall();
    if (at < 0) continue;
    alone.push(heard);
    stalls.push(stall);
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
  // Those who listen have as many sockets as one member may have.
  const { token } = await registerMember(port, members);
  await ask(port, 'POST', `/api/channels/${id}/join`, token, {});
  const resumed = await resuming({ port, token, topic: `conversation:${id}`, say });
  // Of all messages at all sockets: a slow message of many is among the slowest of a hundred.
  const delays = alone.flatMap((one) => one.delays);
  const [p50, p99] = [partOf(delays, 0.5), partOf(delays, 0.99)];
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
    { what: 'the event loop stands still for a message', value: median(stalls), unit: 'ms', atMost: 10 },
    { what: 'the longest of all of them', value: Math.max(...stalls), unit: 'ms' },
    { what: `a socket has ${missed} missed events`, value: resumed, unit: 'ms', atMost: 200 },
  ];
}

interface Resuming {
  readonly port: number;
  readonly token: string;
  readonly topic: string;
  readonly say: (at: number) => Promise<void>;
}

/** How long a socket that comes back waits from asking for what it missed until it has all of it. */
async function resuming({ port, token, topic, say }: Resuming): Promise<number> {
  const { seq: before, close } = await subscribed(port, token, topic);
  close();
  for (let at = 0; at < missed; at += 50)
    await Promise.all(Array.from({ length: Math.min(50, missed - at) }, async (_, more) => await say(at + more)));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const back = await subscribed(port, token, topic, { after: before, events: missed });
    times.push(back.ms);
    back.close();
  }
  return median(times);
}

interface Subscribed {
  /** number of the last event of the topic */
  readonly seq: number;
  readonly ms: number;
  readonly close: () => void;
}

/** Signs a socket in and has it follow a topic. With `missed`, it is there when it has heard so many events after that number. */
async function subscribed(
  port: number,
  token: string,
  topic: string,
  wanted?: { readonly after: number; readonly events: number },
): Promise<Subscribed> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  let began = 0;
  let next = (wanted?.after ?? 0) + 1;
  const seq = await new Promise<number>((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('a socket was refused')));
    socket.addEventListener('close', () => reject(new Error('a socket was closed')));
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'auth', token })));
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string; seq?: number; positions?: Record<string, number> };
      if (frame.type === 'resync') reject(new Error('events are missing'));
      else if (frame.type === 'ready') {
        began = performance.now();
        const asked =
          wanted === undefined
            ? { type: 'subscribe', topics: [topic] }
            : { type: 'resume', topics: { [topic]: wanted.after } };
        socket.send(JSON.stringify(asked));
      } else if (frame.type === 'subscribed' && wanted === undefined) resolve(frame.positions?.[topic] ?? Number.NaN);
      else if (frame.seq !== undefined) {
        if (frame.seq !== next) reject(new Error(`event ${frame.seq} came instead of ${next}`));
        next += 1;
        if (wanted !== undefined && next > wanted.after + wanted.events) resolve(frame.seq);
      }
    });
  });
  return { seq, ms: performance.now() - began, close: () => socket.close() };
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
