import { connect, type Socket } from 'node:net';

/** A connection on which a test says what it likes, byte by byte. */
export interface RawClient extends Disposable {
  readonly socket: Socket;
  /** all that has come so far */
  readonly received: string;
  write(text: string | Uint8Array): Promise<void>;
  /** resolves when the text has come; rejects when the connection ends before that */
  waitFor(text: string): Promise<void>;
  /** resolves when the other side has closed; `true` when it did so by a reset */
  readonly closed: Promise<boolean>;
}

/** @param localAddress where it comes from: all of 127.0.0.0/8 is this machine */
export async function connectRaw(port: number, host = '127.0.0.1', localAddress?: string): Promise<RawClient> {
  const socket = connect({ port, host, ...(localAddress !== undefined && { localAddress }) });
  let received = '';
  let reset = false;
  let over = false;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', () => {
      over = true;
      changed();
      resolve(reset);
    });
  });
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    changed();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {
    reset = true;
  });
  return {
    socket,
    closed,
    get received() {
      return received;
    },
    async write(text) {
      await new Promise<void>((resolve) => void socket.write(text, () => resolve()));
    },
    async waitFor(text) {
      await new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (received.includes(text)) resolve();
          else if (over) reject(new Error(`the connection ended after: ${received}`));
          else return;
          listeners.delete(look);
        };
        listeners.add(look);
        look();
      });
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
