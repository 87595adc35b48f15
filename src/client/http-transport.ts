import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkProblem } from './network-problem.ts';
import { serverName, unbracketed } from './server-address.ts';
import type { Transport, WireReply, WireRequest } from './transport.ts';
import type { Trust } from './trust.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** Milliseconds. The first is the limit for connecting; the second is the longest silence while waiting for an answer. */
const connectMs = 10_000;
const silenceMs = 120_000;

/**
 * Sends requests over a running server's control socket.
 *
 * @param connected an open connection that the first request may use
 */
export function socketTransport(path: string, connected?: Socket): Transport {
  const place = `the server at ${path}`;
  let unused = connected?.once('close', () => (unused = undefined));
  return {
    send: (request, signal) => {
      const socket = unused?.ref();
      unused = undefined;
      const options = socket === undefined ? { socketPath: path } : { createConnection: () => socket };
      return exchange(withHost(request, 'localhost'), options, place, signal);
    },
    dial: async () => ({ socket: await opened(connect(path), place), host: 'localhost', prefix: '' }),
    async [Symbol.asyncDispose]() {
      unused?.destroy();
    },
  };
}

/** Connects to the control socket; undefined if no server listens on it. */
export async function connectToSocket(path: string): Promise<Socket | undefined> {
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(undefined));
    // Errors before its use show as a closed socket. An unused connection does not keep the process alive.
    socket.once('connect', () => resolve(socket.on('error', () => undefined).unref()));
  });
}

/** Waits until a connection is open. @throws Problem network */
async function opened(socket: Socket, place: string): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(networkProblem(place, error));
    };
    socket.setTimeout(connectMs, () => fail(timedOut()));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** Sends requests over the network. Redirects are not followed, because they would send the token to another server. */
export function remoteTransport(base: URL, trust: Trust | undefined): Transport {
  const place = serverName(base);
  const prefix = base.pathname.replace(/\/$/, '');
  return {
    async send(request, signal) {
      const options: RequestOptions = { host: unbracketed(base.hostname), port: base.port || undefined };
      if (base.protocol === 'https:') {
        const { secureSocket } = await import('./trust.ts');
        const socket = await secureSocket(base, trust, connectMs);
        options.createConnection = () => socket;
      }
      return await exchange({ ...withHost(request, base.host), path: prefix + request.path }, options, place, signal);
    },
    async dial() {
      const common = { host: base.host, prefix };
      if (base.protocol === 'https:') {
        const { secureSocket } = await import('./trust.ts');
        return { ...common, socket: await secureSocket(base, trust, connectMs) };
      }
      const socket = connect({ host: unbracketed(base.hostname), port: wholeNumber(base.port) ?? 80 });
      return { ...common, socket: await opened(socket, place) };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function withHost(request: WireRequest, host: string): WireRequest {
  return { ...request, headers: { ...request.headers, host } };
}

async function exchange(
  { method, path, headers, body }: WireRequest,
  options: RequestOptions,
  place: string,
  signal: AbortSignal | undefined,
): Promise<WireReply> {
  // With `agent: false` Node creates an agent that ignores `createConnection`, so the request would be sent without TLS.
  // Without an empty `servername`, Node computes the name for TLS with a regular expression that takes 5 ms to compile.
  const agent = options.createConnection === undefined ? { agent: false, servername: '' } : {};
  const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest(
      { ...options, method, path, headers: { ...headers, ...length }, ...agent, ...(signal && { signal }) },
      resolve,
    );
    const fail = (error: Error) => reject(networkProblem(place, error));
    outgoing.once('error', fail);
    outgoing.setTimeout(silenceMs, () => outgoing.destroy(timedOut()));
    const tooLate = setTimeout(() => outgoing.destroy(timedOut()), connectMs);
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) clearTimeout(tooLate);
      else socket.once('connect', () => clearTimeout(tooLate));
    });
    outgoing.once('close', () => clearTimeout(tooLate));
    if (body === undefined || typeof body === 'string') outgoing.end(body);
    else
      sendPieces(outgoing, body).catch((error: unknown) => {
        // An error of the source is not a network error.
        reject(error instanceof Error ? error : new Error('the source of the body failed', { cause: error }));
        outgoing.destroy();
      });
  });
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    body: bodyOf(response, place),
  };
}

/** Writes as fast as the server reads, and stops when the server has answered, because it may have refused the body. */
async function sendPieces(outgoing: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  let over = false;
  let wake = (): void => {};
  const stop = (): void => {
    over = true;
    wake();
  };
  outgoing.once('close', stop).once('response', (response) => {
    stop();
    // The connection cannot be used again.
    response.once('close', () => outgoing.writableEnded || outgoing.destroy());
  });
  outgoing.on('drain', () => wake());
  for await (const piece of body) {
    if (over) break;
    if (!outgoing.write(piece)) await new Promise<void>((resolve) => (wake = resolve));
    // Either event resolves the promise. The other one then has no effect.
    if (over) break;
  }
  if (!over) outgoing.end();
}

function timedOut(): Error {
  return Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' });
}

async function* bodyOf(response: IncomingMessage, place: string): AsyncGenerator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw networkProblem(place, error);
  }
}
