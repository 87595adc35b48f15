import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/config.ts';

export interface Connections {
  /** what the server calls for each request */
  readonly listener: RequestListener;
  /** requests that have no complete answer yet */
  readonly inFlight: number;
  /** sets the server's limits, and watches its connections */
  watch(server: Server): void;
  /** stops accepting, lets running requests finish for so long, then cuts what is left */
  drain(withinMs: number): Promise<void>;
  /** ends what is still there, sockets of other protocols as well, and resolves when the server is closed */
  cut(): Promise<void>;
}

/** How long the rest of a body that nobody wants is thrown away, so that the client can read why before the connection ends. */
const LINGER_MS = 1_000;

/** Requests under way on one server: counted, so that stopping can wait for them, and cut when their clients are too slow. */
export function trackConnections(handler: RequestListener, limits: Config['server']): Connections {
  const inFlight = new Set<ServerResponse>();
  const unheard = new WeakMap<Socket, NodeJS.Timeout>();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let stopping = false;
  let idle: (() => void) | undefined;

  function onConnection(socket: Socket): void {
    sockets.add(socket);
    // Node looks for late headers twice a minute alone; a flood of silent connections should go sooner.
    unheard.set(
      socket,
      setTimeout(() => socket.destroy(), limits.headersTimeoutMs),
    );
    socket.once('close', () => {
      sockets.delete(socket);
      heard(socket);
    });
  }

  function heard(socket: Socket): void {
    clearTimeout(unheard.get(socket));
    unheard.delete(socket);
  }

  function listener(request: IncomingMessage, response: ServerResponse): void {
    heard(request.socket);
    inFlight.add(response);
    if (stopping) response.shouldKeepAlive = false;
    if (hasBody(request)) watchBody(request, response);
    response.once('close', () => {
      inFlight.delete(response);
      if (stopping) server?.closeIdleConnections();
      if (inFlight.size === 0) idle?.();
    });
    handler(request, response);
  }

  function watchBody(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const tooLate = setTimeout(() => socket.destroy(), limits.requestTimeoutMs);
    request.once('close', () => clearTimeout(tooLate));
    response.once('finish', () => {
      // The answer is out and the body is still coming: the connection can go on only if it ends soon.
      if (!request.complete && response.shouldKeepAlive) throwAway(socket, request);
    });
    // Where the answer said `connection: close`, Node ends both directions before the listener above is called.
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'destroySoon');
      if (request.complete) socket.destroySoon();
      else linger(socket, request);
    };
  }

  return {
    listener,
    get inFlight() {
      return inFlight.size;
    },
    watch(watched) {
      server = watched;
      server.headersTimeout = limits.headersTimeoutMs;
      server.requestTimeout = limits.requestTimeoutMs;
      server.keepAliveTimeout = limits.keepAliveMs;
      server.maxConnections = limits.maxConnections;
      server.on('cert' in server ? 'secureConnection' : 'connection', onConnection);
      server.on('upgrade', (request) => heard(request.socket));
    },
    async drain(withinMs) {
      stopping = true;
      server?.close();
      server?.closeIdleConnections();
      for (const response of inFlight) if (!response.headersSent) response.shouldKeepAlive = false;
      if (inFlight.size > 0) await waitFor((resolve) => (idle = resolve), withinMs);
    },
    async cut() {
      if (server === undefined) return;
      const closed = new Promise<void>((resolve) => void server?.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Reads the rest of a body that nobody wants, and cuts the connection when that takes long. */
function throwAway(socket: Socket, request: IncomingMessage): void {
  const tooLong = setTimeout(() => socket.destroy(), LINGER_MS);
  request.once('end', () => clearTimeout(tooLong)).resume();
  socket.once('close', () => clearTimeout(tooLong));
}

/** Ends our direction alone: closing with unread bytes resets the connection, and the client loses the answer that is on its way. */
function linger(socket: Socket, request: IncomingMessage): void {
  request.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  );
}

async function waitFor(event: (resolve: () => void) => void, withinMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, withinMs);
    event(() => {
      clearTimeout(late);
      resolve();
    });
  });
}
