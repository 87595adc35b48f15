import { connect, type Socket } from 'node:net';

/** A connection that sends requests one after another, and does as little as it can: the server is to be measured. */
export interface Wire extends Disposable {
  /** @returns the status, the body if it is kept, how many bytes of it came, and when the first one did */
  ask(head: string, body?: Uint8Array, options?: { readonly keep?: boolean }): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
  readonly length: number;
  /** milliseconds from the request to the first byte of the body */
  readonly firstByteMs: number;
}

export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve());
    socket.once('error', reject);
  });
  return {
    ask: async (head, body, { keep = true } = {}) => await ask(socket, head, body, keep),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The lines of a request with a body of so many bytes. */
export function headOf(method: string, path: string, token: string, bytes = 0, more = ''): string {
  const type = bytes > 0 ? 'content-type: application/octet-stream\r\n' : '';
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${type}content-length: ${bytes}\r\n${more}\r\n`;
}

/** A whole request, with a body of JSON or none. */
export function wireRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const about = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...about });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

async function ask(socket: Socket, head: string, body: Uint8Array | undefined, keep: boolean): Promise<Answer> {
  const began = performance.now();
  return await new Promise((resolve, reject) => {
    let before = Buffer.alloc(0);
    let answer: { status: number; head: string; wanted: number; firstByteMs: number } | undefined;
    const kept: Buffer[] = [];
    let length = 0;
    const failed = (error: Error = new Error('the connection ended early')): void => {
      over();
      reject(error);
    };
    const take = (piece: Buffer): void => {
      let rest = piece;
      if (answer === undefined) {
        before = Buffer.concat([before, piece]);
        const end = before.indexOf('\r\n\r\n');
        if (end < 0) return;
        const text = before.toString('latin1', 0, end);
        const wanted = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
        answer = { status: Number(text.slice(9, 12)), head: text, wanted, firstByteMs: performance.now() - began };
        rest = before.subarray(end + 4);
      }
      length += rest.length;
      if (keep) kept.push(rest);
      if (length < answer.wanted) return;
      over();
      resolve({ ...answer, body: Buffer.concat(kept), length });
    };
    const over = (): void => void socket.off('data', take).off('error', failed).off('close', failed);
    socket.on('data', take).on('error', failed).on('close', failed);
    socket.write(head, 'latin1');
    if (body !== undefined) socket.write(body);
  });
}
