import WebSocket from 'crossws/websocket';

// oxlint-disable-next-line typescript/no-explicit-any -- frames of every shape
export type WireFrame = Record<string, any>;

export interface WsClient extends Disposable {
  send(frame: unknown): void;
  /** the next frame that has not been taken yet */
  next(): Promise<WireFrame>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** What the client behind the adapter takes beside the standard's two arguments. */
const Client = WebSocket as unknown as new (
  url: string,
  protocols: string[],
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocket;

/** A WebSocket client that takes frames one by one. Rejects when the upgrade is refused. */
export async function connectWs(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  query = '',
): Promise<WsClient> {
  const socket = new Client(`${url.replace(/^http/, 'ws')}/ws${query}`, [], { headers });
  const frames: WireFrame[] = [];
  const waiting: ((frame: WireFrame) => void)[] = [];
  socket.addEventListener('message', (event) => {
    const frame = JSON.parse(String(event.data)) as WireFrame;
    const taker = waiting.shift();
    if (taker === undefined) frames.push(frame);
    else taker(frame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the upgrade was refused')));
  });
  return {
    closed,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next() {
      const frame = frames.shift();
      if (frame !== undefined) return frame;
      return await new Promise((resolve, reject) => {
        waiting.push(resolve);
        void closed.then(({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)));
      });
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
