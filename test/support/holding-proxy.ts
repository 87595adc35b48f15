import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a client made, and what became of it. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  /** the header of this name */
  readonly range: string | undefined;
  /** undefined until the server answers */
  status: number | undefined;
  /** all of the answer went to the client */
  whole: boolean;
}

/** A way to a server that stays when the server goes, and that lets requests stick in their middle. */
export interface HoldingProxy extends AsyncDisposable {
  readonly url: string;
  readonly passed: readonly Passed[];
  /** Of these requests only the first piece of the body passes: of a GET that of the answer, and of others that of the request. */
  hold(which: (request: Passed) => boolean): void;
  /** holds nothing from then on; what is held stays so until its connection breaks */
  letPass(): void;
  /** breaks all connections. @param target where the next ones go */
  cut(target: string): void;
}

export async function openHoldingProxy(firstTarget: string): Promise<HoldingProxy> {
  let target = new URL(firstTarget);
  let holds: (request: Passed) => boolean = () => false;
  const passed: Passed[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const one: Passed = { method, path: url, range: headers.range, status: undefined, whole: false };
    passed.push(one);
    const isHeld = holds(one);
    const { hostname, port } = target;
    const upstream = request({ hostname, port, path: url, method, headers, agent: false });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('finish', () => (one.whole = true));
    outgoing.on('close', () => upstream.destroy());
    upstream.on('response', (answer) => {
      one.status = answer.statusCode;
      outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      answer.on('error', () => outgoing.destroy());
      if (isHeld && method === 'GET') onlyFirst(answer, (piece) => outgoing.write(piece));
      else answer.pipe(outgoing);
    });
    if (isHeld && method !== 'GET') onlyFirst(incoming, (piece) => upstream.write(piece));
    else incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    hold(which) {
      holds = which;
    },
    letPass() {
      holds = () => false;
    },
    cut(next) {
      target = new URL(next);
      server.closeAllConnections();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function onlyFirst(stream: IncomingMessage, take: (piece: Buffer) => void): void {
  stream.once('data', (piece: Buffer) => {
    stream.pause();
    take(piece);
  });
}
