import type { Client } from './client.ts';
import type { Transport, WireReply } from './transport.ts';

/**
 * A client for a command that runs until somebody ends it. A store that would be opened in this process is open during each call alone, so
 * that others can use it in between. When a server starts meanwhile, calls go to the server.
 *
 * @param connect opens a connection for one call
 */
export async function briefClient(connect: () => Promise<Client>): Promise<Client> {
  const client = await connect();
  if (client.connection.kind !== 'process') return client;
  await client[Symbol.asyncDispose]();
  const transport: Transport = {
    async send(request, signal) {
      await using call = await connect();
      return await whole(await call.transport.send(request, signal));
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return {
    ...client,
    transport,
    async tokenFor(operation) {
      await using call = await connect();
      return await call.tokenFor(operation);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The body comes from the store, which closes behind it. */
async function whole(reply: WireReply): Promise<WireReply> {
  const pieces: Uint8Array[] = [];
  for await (const piece of reply.body) pieces.push(piece);
  return { ...reply, body: all(pieces) };
}

async function* all(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
