import { closeCodes } from '../../contract/realtime/close-codes.ts';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hooks } from 'crossws';
import type { NodeAdapter } from 'crossws/adapters/node';
import type { ClientAddress } from '../../http/client-address.ts';
import type { Limits } from '../../http/limits.ts';
import type { Log } from '../../base/log.ts';
import { limits } from '../../platform/realtime/limits.ts';
import type { Hub } from '../../platform/realtime/hub.ts';
import type { Socket } from '../../platform/realtime/socket.ts';

const webSocketPath = '/ws';

/** Options of `ws`, which crossws includes. Its types don't know all of them. */
const serverOptions = {
  maxPayload: limits.frame,
  maxFragments: limits.fragments,
  maxBufferedChunks: limits.pieces,
  perMessageDeflate: false,
  // Automatic pongs are off: they would fill the memory for a client that does not read.
  autoPong: false,
  closeTimeout: limits.goodbye,
};

/** Time that a client has to read the answer to a refused upgrade. */
const LINGER_MS = 1_000;

/** Whether a request asks for WebSockets, at the path that serves them. */
export function isForWebSockets({ url, headers }: IncomingMessage): boolean {
  return url?.split('?', 1)[0] === webSocketPath && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

export interface WebSockets {
  /** takes over a connection that asked for an upgrade */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** tells all clients that the server stops, and cuts those that haven't closed after `withinMs` */
  close(withinMs: number): Promise<void>;
}

export interface WebSocketOptions {
  readonly addressOf: ClientAddress;
  readonly limits: Pick<Limits, 'takeFrame'>;
  readonly log: Log;
}

/** WebSockets by crossws over a hub. Pages of any origin may connect, but they get nothing without a token or ticket of the owner. */
export function createWebSockets(hub: Hub, { addressOf, limits: { takeFrame }, log }: WebSocketOptions): WebSockets {
  const bound = new Map<object, Socket>();
  let empty: (() => void) | undefined;

  function gone(peer: object): void {
    bound.get(peer)?.closed();
    bound.delete(peer);
    if (bound.size === 0) empty?.();
  }

  const hooks: Partial<Hooks> = {
    open(peer) {
      const { headers } = peer.request;
      const connection = {
        send: (text: string) => Number(peer.send(text)),
        close: (code: number, reason: string) => peer.close(code, reason),
        pong: (data: Uint8Array) => (peer.websocket as Partial<Ponging>).pong?.(data),
        unsent: () => peer.bufferedAmount,
        cut: () => peer.terminate(),
      };
      const address = addressOf({ headers, ...(peer.remoteAddress !== undefined && { ip: peer.remoteAddress }) });
      const caller = { address, userAgent: (headers.get('user-agent') ?? '').slice(0, 256) };
      const socket = hub.connect(connection, caller, takeFrame);
      bound.set(peer, socket);
      const token = /^bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
      // A ticket works once and for seconds. A token would stay in logs and histories with the URL.
      const ticket = new URL(peer.request.url).searchParams.get('ticket');
      if (token !== undefined) void socket.signIn(token);
      else if (ticket !== null) void socket.signInByTicket(ticket);
    },
    message(peer, message) {
      void bound.get(peer)?.receive(message.text());
    },
    ping: (peer, data) => bound.get(peer)?.ping(data),
    pong: (peer) => bound.get(peer)?.pong(),
    close: gone,
    // The close code has told the client about the wrong frame. The socket cannot be used any more.
    error: (peer) => bound.get(peer)?.closed(),
  };

  let loading: Promise<NodeAdapter> | undefined;

  /** Loaded at the first socket, because many servers never get one and the start should be fast. */
  async function load(): Promise<NodeAdapter> {
    const { default: nodeAdapter } = await import('crossws/adapters/node');
    return nodeAdapter({
      idleTimeout: limits.pingSeconds,
      getNamespace: () => webSocketPath,
      serverOptions,
      hooks,
    });
  }

  async function accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      loading ??= load();
      await (await loading).handleUpgrade(request, socket, head);
      if (socket.writableEnded) letGo(socket);
    } catch (error) {
      log.error('WebSocket upgrade failed', { error });
      socket.destroy();
    }
  }

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      void accept(request, socket, head);
    },
    async close(withinMs) {
      hub.closeAll();
      if (bound.size > 0) {
        await new Promise<void>((resolve) => {
          const late = setTimeout(resolve, withinMs);
          empty = () => {
            clearTimeout(late);
            resolve();
          };
        });
      }
      const adapter = await loading;
      await adapter?.close();
      adapter?.closeAll(closeCodes.goingAway, undefined, true);
    },
  };
}

/**
 * Ends a connection after its last answer: when the answer is sent, or after a while if the client does not read it. To end only our
 * direction is not enough. The client's direction may stay open, and unread bytes would hide its end.
 */
function letGo(socket: Duplex): void {
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.resume();
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}

/** The members of the underlying WebSocket that the types of crossws lack. */
interface Ponging {
  pong(data: Uint8Array): void;
}
