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
}
