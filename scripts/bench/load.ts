// A load generator in a process of its own: `load.ts <port> <connections> <seconds>`, the requests on standard input, with NUL between them.
// Each connection sends its share of them, each as soon as it has the whole answer to the last one. A single request is sent by all of them,
// again and again for so many seconds. Prints one line of JSON.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LoadResult } from './load-result.ts';

const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2).map(Number);
const requests = (await text(process.stdin)).split('\0').map((one) => Buffer.from(one, 'latin1'));
const share = Math.max(1, Math.floor(requests.length / connections));
const statuses: Record<string, number> = {};
let stopping = false;

/** Where the first answer in these bytes ends; undefined where it isn't complete. Without regular expressions: the server is to be measured. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const found = bytes.indexOf('ontent-length: ');
  const at = found >= 0 && found < end ? found : bytes.indexOf('ontent-Length: ');
  if (at >= 0 && at < end) {
    let length = 0;
    for (let index = at + 15; bytes[index] !== 13; index += 1) length = length * 10 + (bytes[index] ?? 0) - 48;
    return end + 4 + length;
  }
  const last = bytes.indexOf('\r\n0\r\n\r\n', end);
  return last < 0 ? undefined : last + 7;
}

/** `HTTP/1.1 200` */
function statusOf(bytes: Buffer): number {
  return ((bytes[9] ?? 0) - 48) * 100 + ((bytes[10] ?? 0) - 48) * 10 + (bytes[11] ?? 0) - 48;
}

async function run(_: unknown, connection: number): Promise<void> {
  const first = requests.length === 1 ? 0 : connection * share;
  let turn = 0;
  const next = (): Buffer => requests[first + (turn++ % share)] ?? Buffer.alloc(0);
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    let pending: Buffer | undefined;
    socket.once('connect', () => socket.write(next()));
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
      const end = endOfAnswer(bytes);
      if (end === undefined || bytes.length < end) {
        pending = bytes;
        return;
      }
      const status = statusOf(bytes);
      statuses[status] = (statuses[status] ?? 0) + 1;
      pending = bytes.length > end ? bytes.subarray(end) : undefined;
      if (requests.length === 1 ? stopping : turn === share) socket.destroy();
      else socket.write(next());
    });
  });
}

const started = performance.now();
setTimeout(() => (stopping = true), seconds * 1_000);
await Promise.all(Array.from({ length: connections }, run));
const result: LoadResult = { seconds: (performance.now() - started) / 1_000, statuses };
process.stdout.write(`${JSON.stringify(result)}\n`);
