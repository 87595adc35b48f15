import type { Socket } from 'node:net';
import type { Method } from '../contract/operation.ts';

/** A request in the form that every transport takes. */
export interface WireRequest {
  readonly method: Method;
  /** with the query, percent-encoded */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** a stream is read as fast as it is sent; a header gives its length, and without one it is sent in chunks */
  readonly body?: string | AsyncIterable<Uint8Array>;
}

export interface WireReply {
  readonly status: number;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** One way to reach the API. Disposal closes its connections. */
export interface Transport extends AsyncDisposable {
  /** @throws Problem network if no answer was received */
  send(request: WireRequest, signal?: AbortSignal): Promise<WireReply>;
  /**
   * Connects for something other than requests; missing where there is no connection. The server has been verified.
   * @throws Problem network
   */
  dial?(): Promise<Dialled>;
}

/** An open connection to a server. */
export interface Dialled {
  readonly socket: Socket;
  /** for the header `Host` */
  readonly host: string;
  /** comes before every path */
  readonly prefix: string;
}
