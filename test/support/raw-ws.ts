import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface RawFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A WebSocket of which a test writes every byte, and that reads only when it is told to. */
export interface RawWs extends Disposable {
  readonly socket: Socket;
  /** text frames that have come, parsed */
  // oxlint-disable-next-line typescript/no-explicit-any -- frames of every shape
  readonly heard: Record<string, any>[];
  /** the code of the closing frame; undefined as long as none came */
  readonly closedWith: number | undefined;
  /** the connection is gone, in whatever way */
  readonly gone: Promise<void>;
  say(frame: unknown): void;
  write(bytes: Uint8Array): void;
  /** resolves when a frame fits; rejects when the connection is gone before that */
  // oxlint-disable-next-line typescript/no-explicit-any -- frames of every shape
  until(fits: (frame: Record<string, any>) => boolean): Promise<Record<string, any>>;
}

export interface FrameOptions {
  readonly opcode?: number;
  /** false: more of the message follows */
  readonly final?: boolean;
  readonly masked?: boolean;
  /** the reserved bits, 0 to 7 */
  readonly reserved?: number;
}

/** A frame as RFC 6455 lays it out (5.2), or as a hostile client might. */
export function frameBytes(
  payload: string | Uint8Array,
  { opcode = opcodes.text, final = true, masked = true, reserved = 0 }: FrameOptions = {},
): Buffer {
  const body = Buffer.from(payload as Uint8Array);
  const first = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  const mask = masked ? 0x80 : 0;
  let head: Buffer;
  if (body.length < 126) head = Buffer.from([first, mask | body.length]);
  else if (body.length < 65_536) head = Buffer.from([first, mask | 126, body.length >> 8, body.length & 0xff]);
  else {
    head = Buffer.alloc(10);
    head.set([first, mask | 127]);
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  if (!masked) return Buffer.concat([head, body]);
  const key = randomBytes(4);
  for (let at = 0; at < body.length; at += 1) body[at] = (body[at] ?? 0) ^ (key[at % 4] ?? 0);
  return Buffer.concat([head, key, body]);
}

export async function connectRawWs(
  port: number,
  headers: Readonly<Record<string, string>> = {},
  { query = '', localAddress }: { readonly query?: string; readonly localAddress?: string } = {},
): Promise<RawWs> {
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress !== undefined && { localAddress }) });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const lines = {
    host: 'localhost',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /ws${query} HTTP/1.1\r\n${head.join('')}\r\n`);

  const heard: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let closedWith: number | undefined;
  let over = false;
  let upgraded = false;
  let rest: Buffer = Buffer.alloc(0);
  const changed = (): void => {
    for (const look of waiting) look();
  };
  const gone = new Promise<void>((resolve) => {
    socket.once('close', () => {
      over = true;
      changed();
      resolve();
    });
  });
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    if (!upgraded) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!rest.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) return;
      upgraded = true;
      rest = rest.subarray(end + 4);
    }
    for (;;) {
      const frame = readFrame(rest);
      if (frame === undefined) break;
      rest = rest.subarray(frame.length);
      if (frame.opcode === opcodes.text) heard.push(JSON.parse(frame.payload.toString()) as Record<string, unknown>);
      if (frame.opcode === opcodes.close && frame.payload.length >= 2) closedWith = frame.payload.readUInt16BE();
    }
    changed();
  });

  return {
    socket,
    heard,
    gone,
    get closedWith() {
      return closedWith;
    },
    say: (frame) => void socket.write(frameBytes(typeof frame === 'string' ? frame : JSON.stringify(frame))),
    write: (bytes) => void socket.write(bytes),
    until: async (fits) =>
      await new Promise((resolve, reject) => {
        const look = (): void => {
          const found = heard.find(fits);
          if (found !== undefined) resolve(found);
          else if (over) reject(new Error(`the connection ended with ${closedWith} after ${heard.length} frames`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The first frame of these bytes, of a server, which masks nothing. @returns undefined while it hasn't come whole */
function readFrame(bytes: Buffer): (RawFrame & { readonly length: number }) | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < head) return undefined;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < head + size) return undefined;
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(head, head + size), length: head + size };
}
