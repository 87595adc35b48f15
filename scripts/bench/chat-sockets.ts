// Sockets in a process of their own, so that reading what a server sends is not measured with it. Standard input has, in its first line, where the
// server is and with which tokens to sign in; each further line how many messages to wait for. Prints a line of JSON for each line.
//   {"port": 1, "path": "/ws", "tokens": ["…"], "each": 10, "topic": "conversation:…"}
// A message says when it was sent, as `sent:` and 15 digits of microseconds of the clock that all processes share.
import { createInterface } from 'node:readline';
import WebSocket from 'crossws/websocket';

interface Wanted {
  readonly port: number;
  readonly path: string;
  readonly tokens: readonly string[];
  /** sockets of each token */
  readonly each: number;
  /** missing: nothing is said, and whatever comes counts */
  readonly topic?: string;
}

const MARK = 'sent:';
const DIGITS = 15;
const delays: number[] = [];
let waiting: { readonly frames: number; readonly done: () => void } | undefined;
let first = 0;
let last = 0;

const micros = (): number => Number(process.hrtime.bigint() / 1_000n);

function heard(text: string): void {
  const at = text.indexOf(MARK);
  if (at < 0) return;
  last = micros();
  if (delays.length === 0) first = last;
  delays.push(last - Number(text.slice(at + MARK.length, at + MARK.length + DIGITS)));
  if (waiting !== undefined && delays.length >= waiting.frames) waiting.done();
}

async function connect({ port, path, topic }: Wanted, token: string): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('a socket was refused')));
    socket.addEventListener('close', () => reject(new Error('a socket was closed')));
    socket.addEventListener('open', () => {
      if (topic === undefined) resolve();
      else socket.send(JSON.stringify({ type: 'auth', token }));
    });
    socket.addEventListener('message', ({ data }) => {
      const text = String(data);
      if (text.startsWith('{"type":"ready"')) socket.send(JSON.stringify({ type: 'subscribe', topics: [topic] }));
      else if (text.startsWith('{"type":"subscribed"')) resolve();
      else heard(text);
    });
  });
}

let sockets = 0;
for await (const asked of createInterface({ input: process.stdin })) {
  if (sockets === 0) {
    const wanted = JSON.parse(asked) as Wanted;
    for (const token of wanted.tokens) {
      await Promise.all(Array.from({ length: wanted.each }, async () => await connect(wanted, token)));
      sockets += wanted.each;
    }
    process.stdout.write(`${JSON.stringify({ sockets })}\n`);
    continue;
  }
  const frames = sockets * Number(asked);
  if (delays.length < frames)
    await new Promise<void>((done) => {
      waiting = { frames, done };
    });
  waiting = undefined;
  const heardAll = delays.splice(0);
  const seconds = (last - first) / 1_000_000;
  const line = { frames: heardAll.length, seconds, delays: heardAll.map((one) => one / 1_000) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
