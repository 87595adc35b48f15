// A load generator in a process of its own: `load.ts <port> <connections> <seconds>`, the request on standard input.
// Each connection sends the request again as soon as it has the whole answer. Prints one line of JSON.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LoadResult } from './load-result.ts';

const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2).map(Number);
const request = Buffer.from(await text(process.stdin), 'latin1');
const statuses: Record<string, number> = {};
let stopping = false;

/** Where the first answer in these bytes ends; undefined where it isn't complete. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  if (length !== undefined) return end + 4 + Number(length);
  const last = bytes.indexOf('\r\n0\r\n\r\n', end);
  return last < 0 ? undefined : last + 7;
}

async function run(): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    let pending: Buffer = Buffer.alloc(0);
    socket.once('connect', () => socket.write(request));
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = endOfAnswer(pending);
      if (end === undefined || pending.length < end) return;
      const status = pending.toString('latin1', 9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      pending = pending.subarray(end);
      if (stopping) socket.destroy();
      else socket.write(request);
    });
  });
}

const started = performance.now();
setTimeout(() => (stopping = true), seconds * 1_000);
await Promise.all(Array.from({ length: connections }, run));
const result: LoadResult = { seconds: (performance.now() - started) / 1_000, statuses };
process.stdout.write(`${JSON.stringify(result)}\n`);
