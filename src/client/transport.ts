import type { Method } from '../contract/operation.ts';

/** A request in the shape that every way in takes. */
export interface WireRequest {
  readonly method: Method;
  /** with the query, percent-encoded */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** read as fast as it is sent; its length is the header's to say, and without one it goes out in chunks */
  readonly body?: string | AsyncIterable<Uint8Array>;
}

export interface WireReply {
  readonly status: number;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** One way to reach the API. Disposing it closes what it opened. */
export interface Transport extends AsyncDisposable {
  /** @throws Problem network where no answer came */
  send(request: WireRequest, signal?: AbortSignal): Promise<WireReply>;
}
