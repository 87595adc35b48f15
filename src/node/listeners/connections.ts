import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/config.ts';
import { streamingBegins } from '../../http/body-pace.ts';
import { createDoor } from './door.ts';
import { withoutUpgrade } from './plain-request.ts';
import { turnsOn, type Turns } from './turns.ts';

export interface Connections {
  /** the function that the server calls for each request */
  readonly listener: RequestListener;
  /** number of requests without a complete answer */
  readonly inFlight: number;
  /** sets the server's limits, and watches its connections */
  watch(server: Server): void;
  /** serves a request that asked for another protocol, as if it had not asked */
  ignoreUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** stops accepting, waits up to `withinMs` for running requests, then cuts the remaining connections */
  drain(withinMs: number): Promise<void>;
  /** cuts all remaining connections, including sockets of other protocols, and resolves when the server is closed */
  cut(): Promise<void>;
}

/** For this time the rest of an unwanted body is discarded, so that the client can read the reason before the connection ends. */
const LINGER_MS = 1_000;

/** One connection. */
interface Open {
  /** the running requests: the client can send several before it reads the first answer */
  readonly underWay: Set<ServerResponse>;
  readonly turns: Turns;
  /** each cuts the connection when its time is over; Node doesn't report the end of a request whose body nobody read */
  readonly deadlines: Set<NodeJS.Timeout>;
  /** called when the last of them is answered */
  whenIdle: (() => void) | undefined;
}

export interface TrackOptions {
  /** whether connections come over TCP: then each must have an address, and connections are counted by it */
  readonly overTcp: boolean;
  /** holds the addresses of proxies */
  readonly proxied: { readonly trustedProxies: readonly string[] };
}

/**
 * Tracks the running requests of one server. They are counted, so that stopping can wait for them. Slow clients are cut.
 */
export function trackConnections(
  handler: RequestListener,
  limits: Config['server'],
  { overTcp, proxied }: TrackOptions,
): Connections {
  const open = new Map<Socket, Open>();
  const admits = createDoor({ perAddress: limits.connectionsPerAddress, proxied });
  let inFlight = 0;
  const unheard = new WeakMap<Socket, NodeJS.Timeout>();
  /** connections in their TLS handshake, by their two ends: Node doesn't tell which connection is under a TLS socket */
  const handshakes = new Map<string, Socket>();
  let server: Server | undefined;
  let stopping = false;
  let idle: (() => void) | undefined;

  /** Handles a new connection before anything is read from it. */
  function onArrival(socket: Socket): void {
    if (open.has(socket)) return;
    if (overTcp && (socket.remoteAddress === undefined || !admits(socket))) socket.destroy();
    else onConnection(socket);
  }

  function onHandshake(socket: Socket): void {
    onArrival(socket);
    if (socket.destroyed) return;
    const ends = endsOf(socket);
    handshakes.set(ends, socket);
    socket.once('close', () => {
      if (handshakes.get(ends) === socket) handshakes.delete(ends);
    });
  }

  function onSecureConnection(secure: Socket): void {
    const ends = endsOf(secure);
    const socket = handshakes.get(ends);
    handshakes.delete(ends);
    if (socket !== undefined) heard(socket);
    onConnection(secure);
  }

  function onConnection(socket: Socket): void {
    // A connection whose upgrade was ignored is handed over a second time.
    if (open.has(socket)) return;
    // Node caches the address on first read. After a reset by the client the address is gone, and the request could not be counted.
    if (overTcp && socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const underWay = new Set<ServerResponse>();
    const turns = turnsOn(socket);
    const deadlines = new Set<NodeJS.Timeout>();
    open.set(socket, { underWay, turns, deadlines, whenIdle: undefined });
    // Node checks for late headers only every 30 seconds. A flood of silent connections must be closed sooner.
    unheard.set(
      socket,
      setTimeout(() => socket.destroy(), limits.headersTimeoutMs),
    );
    socket.once('close', () => {
      open.delete(socket);
      heard(socket);
      for (const deadline of deadlines) clearTimeout(deadline);
      // If a connection has several requests, Node reports its end only to the first of them.
      ended(underWay.size);
      underWay.clear();
      turns.clear();
    });
  }

  function ended(requests: number): void {
    inFlight -= requests;
    if (requests > 0 && inFlight === 0) idle?.();
  }

  /**
   * Handles a connection without bytes in either direction for a while: the client does not read its answer, or sends nothing. A connection
   * is not closed while the server prepares an answer.
   */
  function onTimeout(socket: Socket): void {
    for (const response of open.get(socket)?.underWay ?? []) {
      if (response.socket === socket && response.req.complete && !response.headersSent) return;
    }
    socket.destroy();
  }

  function heard(socket: Socket): void {
    clearTimeout(unheard.get(socket));
    unheard.delete(socket);
  }

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const known = open.get(request.socket);
    if (known === undefined) return;
    const { underWay, turns, deadlines } = known;
    heard(request.socket);
    underWay.add(response);
    inFlight += 1;
    response.once('close', () => {
      if (!underWay.delete(response)) return;
      turns.done();
      if (stopping) server?.closeIdleConnections();
      ended(1);
      if (underWay.size === 0) known.whenIdle?.();
    });
    turns.take(() => {
      if (stopping) response.shouldKeepAlive = false;
      // A body that came with the head is complete on the next tick, so its time needn't be checked.
      if (hasBody(request)) process.nextTick(watchBody, request, response, deadlines);
      handler(request, response);
    });
  }

  function watchBody(request: IncomingMessage, response: ServerResponse, deadlines: Open['deadlines']): void {
    if (request.complete) return;
    const { socket } = request;
    const inTime = cutAfter(socket, limits.requestTimeoutMs, deadlines);
    request.once('end', inTime).once('close', inTime).once(streamingBegins, inTime);
    response.once('finish', () => {
      // The answer is sent, but the body is still arriving. The connection can be used again only if the body ends soon.
      if (!request.complete && response.shouldKeepAlive) throwAway(request, cutAfter(socket, LINGER_MS, deadlines));
    });
    // If the answer has `connection: close`, Node ends both directions before it calls the listener above.
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'destroySoon');
      if (request.complete) socket.destroySoon();
      else {
        cutAfter(socket, LINGER_MS, deadlines);
        linger(socket, request);
      }
    };
  }

  return {
    listener,
    get inFlight() {
      return inFlight;
    },
    watch(watched) {
      server = watched;
      server.headersTimeout = limits.headersTimeoutMs;
      // Node's own time-out would also end a streaming body. `watchBody` checks the time of a request instead.
      server.requestTimeout = 0;
      server.keepAliveTimeout = limits.keepAliveMs;
      server.maxConnections = limits.maxConnections;
      // Time-out for silence in both directions. It does not apply to WebSockets, which may be silent.
      server.timeout = limits.requestTimeoutMs;
      server.on('timeout', onTimeout);
      if ('cert' in server) server.on('connection', onHandshake).on('secureConnection', onSecureConnection);
      else server.on('connection', onArrival);
      server.on('upgrade', (request) => heard(request.socket));
    },
    ignoreUpgrade(request, socket, head) {
      const known = open.get(socket);
      if (known === undefined) return;
      const again = (): void => {
        if (server === undefined || socket.destroyed) return;
        known.whenIdle = undefined;
        known.turns.release();
        socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
        // Hands the connection to the server as a new one. Node's own reader has released it.
        server.emit('cert' in server ? 'secureConnection' : 'connection', socket);
        socket.resume();
      };
      // Bytes that arrive in the meantime belong to the same request, or follow it.
      known.turns.hold();
      if (known.underWay.size === 0) again();
      else known.whenIdle = again;
    },
    async drain(withinMs) {
      stopping = true;
      server?.close();
      server?.closeIdleConnections();
      for (const { underWay } of open.values())
        for (const response of underWay) if (!response.headersSent) response.shouldKeepAlive = false;
      if (inFlight > 0) await waitFor((resolve) => (idle = resolve), withinMs);
    },
    async cut() {
      if (server === undefined) return;
      const closed = new Promise<void>((resolve) => void server?.close(() => resolve()));
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** Cuts the connection after a while, unless it has ended before. @returns a function that calls it off */
function cutAfter(socket: Socket, ms: number, deadlines: Open['deadlines']): () => void {
  const deadline = setTimeout(() => socket.destroy(), ms);
  deadlines.add(deadline);
  return () => {
    clearTimeout(deadline);
    deadlines.delete(deadline);
  };
}

/** Reads and discards the rest of an unwanted body. If that takes long, the connection is cut. */
function throwAway(request: IncomingMessage, inTime: () => void): void {
  request.once('end', inTime).resume();
}

/** Ends only our direction. Closing with unread bytes would reset the connection, and the client would lose the answer. */
function linger(socket: Socket, request: IncomingMessage): void {
  request.resume();
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
