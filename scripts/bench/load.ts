import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** how long a single request is sent again and again */
  readonly seconds?: number;
  /** as it goes over the wire; of several each connection sends its share once, however long that takes */
  readonly request: string | readonly string[];
  /** of a success */
  readonly status?: 200 | 201;
}

/** What the generator prints. */
interface Loaded {
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const generator = fileURLToPath(import.meta.url);

/** Loads a server from another process. Anything but a success is an error: a refusal is answered faster than work is done. */
export async function load({
  port,
  connections,
  seconds = 0,
  request,
  status = 200,
}: Load): Promise<{ readonly answers: number; readonly perSecond: number }> {
  const line = ['--import', 'tsx', generator, String(port), String(connections), String(seconds)];
  const child = spawn(process.execPath, line, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(typeof request === 'string' ? request : request.join('\0'));
  const result = JSON.parse(await text(child.stdout)) as Loaded;
  const { [String(status)]: answers = 0, ...others } = result.statuses;
  if (Object.keys(others).length > 0) throw new Error(`the server answered ${JSON.stringify(result.statuses)}`);
  return { answers, perSecond: answers / result.seconds };
}

/**
 * The generator, with the port, the number of connections and the seconds as arguments and the requests on standard input, with NUL between
 * them. Each connection sends a request as soon as it has the whole answer to the last one. Prints one line of JSON.
 */
async function generate(port: number, connections: number, seconds: number): Promise<void> {
  const requests = (await text(process.stdin)).split('\0').map((one) => Buffer.from(one, 'latin1'));
  const share = Math.max(1, Math.floor(requests.length / connections));
  const statuses: Record<string, number> = {};
  let stopping = false;
  const run = async (_: unknown, connection: number): Promise<void> => {
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
  };
  const started = performance.now();
  setTimeout(() => (stopping = true), seconds * 1_000);
  await Promise.all(Array.from({ length: connections }, run));
  const result: Loaded = { seconds: (performance.now() - started) / 1_000, statuses };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

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

if (process.argv[1] === generator) {
  const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2).map(Number);
  await generate(port, connections, seconds);
}
