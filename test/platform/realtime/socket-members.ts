import { expect } from 'vitest';
import type { RunningNode } from '../../support/running-node.ts';
import { connectWs, type WireFrame, type WsClient } from '../../support/ws-client.ts';

const json = { 'content-type': 'application/json' };

export interface SocketMember {
  readonly token: string;
  readonly memberId: string;
  readonly username: string;
  readonly password: string;
}

/** Members of a running node, and sockets of theirs. */
export function socketMembers(node: () => RunningNode) {
  let members = 0;
  return {
    async api(
      method: string,
      path: string,
      token: string | undefined,
      body?: unknown,
    ): Promise<{ status: number; body: WireFrame }> {
      const headers = { ...json, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      const response = await node().fetch(path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as WireFrame };
    },
    async register(): Promise<SocketMember> {
      members += 1;
      const account = {
        username: `socket-${members}`,
        email: `socket-${members}@example.org`,
        password: 'seven green bottles',
      };
      // In process, where registrations aren't counted.
      const request = new Request('http://localhost/api/user/register', {
        method: 'POST',
        headers: json,
        body: JSON.stringify(account),
      });
      const { data } = (await (await node().engine.fetch(request)).json()) as {
        data: { token: string; memberId: string };
      };
      return { ...account, ...data };
    },
    async signedIn(token: string): Promise<WsClient> {
      const socket = await connectWs(node().ready.url);
      socket.send({ type: 'auth', token });
      expect(await socket.next()).toMatchObject({ type: 'ready' });
      return socket;
    },
  };
}
