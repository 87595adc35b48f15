import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import Login from '../../commands/login.ts';
import { openClient, type Client } from '../../src/client/client.ts';
import { openEventSocket, type HeardEvent } from '../../src/client/event-socket.ts';
import { remoteTransport } from '../../src/client/http-transport.ts';
import { signInOf } from '../../src/client/token-claims.ts';
import { realtime } from '../../src/contract/realtime.ts';
import { openHome, rootPassword, type Home } from '../cli/home.ts';

/** The administrator, as a command reaches the server. */
async function rootOf(home: Home, how: { server?: string; ca?: string } = {}): Promise<Client> {
  const login = await home.operate(Login, ['root', '--print-token'], { env: { CONCLAVE_PASSWORD: rootPassword } });
  return await openClient({
    env: { ...home.env, CONCLAVE_TOKEN: login.stdout.trim() },
    userAgent: 'test',
    command: 'test',
    ...how,
  });
}

const nothing = { onEvent: () => undefined, onEnd: () => undefined };

describe('events of a server', () => {
  it('are heard over its control socket', async () => {
    await using home = await openHome('socket');
    await using client = await rootOf(home);
    expect(client.connection.kind).toBe('socket');
    let accountId = '';
    const topics = (id: string): string[] => [`quorum-member:${(accountId = id)}`];
    using socket = await openEventSocket(client, { ...nothing, topics });
    expect(socket?.hearsAll).toBe(true);
    expect(accountId).toBe(signInOf((await client.tokenFor(realtime.createTicket)) ?? '').memberId);
    using refused = await openEventSocket(client, { ...nothing, topics: () => ['quorum-member:somebody'] });
    expect(refused?.hearsAll).toBe(false);
  });

  it('are heard from the server with the right certificate alone', async () => {
    await using home = await openHome('url', { serveEnv: { CONCLAVE_TLS: 'self-signed' } });
    const { url, fingerprint = '' } = home.ready!;
    const right = `sha256:${fingerprint.replaceAll(':', '')}`;
    await using client = await rootOf(home, { server: url, ca: right });
    const topics = (id: string): string[] => [`quorum-member:${id}`];
    using socket = await openEventSocket(client, { ...nothing, topics });
    expect(socket?.hearsAll).toBe(true);
    await using other = await rootOf(home, { server: url, ca: `sha256:${'0'.repeat(64)}` });
    await expect(openEventSocket(other, { ...nothing, topics })).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('its certificate is not the one given by --ca') as unknown,
    });
  });

  it('are not heard from what is no such server, or takes no socket', async () => {
    await using strange = createStrange();
    const url = await strange.url();
    const caller = {
      transport: remoteTransport(url, undefined),
      place: 'elsewhere',
      userAgent: 'test',
      tokenFor: async () => 'token',
    };
    const heard: HeardEvent[] = [];
    const topics = (): string[] => [];
    await expect(
      openEventSocket(caller, { topics, onEvent: (event) => void heard.push(event), onEnd: () => undefined }),
    ).rejects.toMatchObject({ kind: 'network', code: 'NETWORK' });
    expect(heard).toEqual([]);
    const { send } = caller.transport;
    const within = { ...caller, transport: { send, [Symbol.asyncDispose]: async () => undefined } };
    expect(await openEventSocket(within, { ...nothing, topics })).toBeUndefined();
  });
});

function createStrange() {
  const server = createServer((_, reply) => void reply.writeHead(404).end());
  return {
    async url() {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
