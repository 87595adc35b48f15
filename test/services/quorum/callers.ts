import type { Caller } from '../../../src/client/perform.ts';
import { sendWithin } from '../../../src/client/local-transport.ts';
import type { Fetch } from '../../support/house.ts';

/** A member's client, that reaches the node by a fetch. */
export function callerOf(fetch: Fetch, { token }: { readonly token: string }): Caller {
  return {
    transport: { send: sendWithin(fetch), [Symbol.asyncDispose]: async () => {} },
    place: 'the node',
    userAgent: 'test',
    tokenFor: async () => token,
  };
}

/** All that a node received: paths, headers and bodies, in their order. */
export function tapped(fetch: Fetch): { readonly fetch: Fetch; readonly received: Uint8Array[] } {
  const received: Uint8Array[] = [];
  return {
    received,
    async fetch(request) {
      const body = new Uint8Array(await request.clone().arrayBuffer());
      received.push(Buffer.from(`${request.method} ${request.url}\n${JSON.stringify([...request.headers])}`), body);
      return await fetch(request);
    },
  };
}
