import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatFrames } from '../../../src/contract/chat/events.ts';
import { socketMembers } from '../../platform/realtime/socket-members.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import type { WireFrame } from '../../support/ws-client.ts';

/** Of each kind so many in an hour. */
const allowed = '2/1h';
const env = {
  CONCLAVE_LIMITS_CHAT_MESSAGE_PER_ACCOUNT: allowed,
  CONCLAVE_LIMITS_CHAT_READ_PER_ACCOUNT: allowed,
  CONCLAVE_LIMITS_CHAT_PRESENCE_PER_ACCOUNT: allowed,
};

let node: RunningNode;
beforeAll(async () => {
  node = await startNode({ env });
});
afterAll(async () => await node[Symbol.asyncDispose]());
const { api, register, signedIn } = socketMembers(() => node);

/** What a frame asks for, and the request that asks for the same: method, path, body. */
const same: Readonly<Record<string, readonly [object, string, string, object?]>> = {
  'message:send': [{ content: 'x', clientId: 'c' }, 'POST', '/api/groups/:id/messages', { content: 'x' }],
  'message:typing': [{}, 'POST', '/api/groups/:id/typing', {}],
  'message:read': [{}, 'POST', '/api/groups/:id/read', {}],
  'presence:set': [{ status: 'idle' }, 'PUT', '/api/presence', { status: 'idle' }],
  'presence:watch': [{ memberIds: [] }, 'GET', '/api/presence?memberIds=:member'],
};
/** Subscriptions are weighed by the socket. */
const free = ['subscribe:conversation', 'unsubscribe:conversation'];

describe('frames of conversations', () => {
  it('are all in the table', () => {
    const types = Object.values(chatFrames).map(({ type }) => type);
    expect([...Object.keys(same), ...free].toSorted()).toEqual(types.toSorted());
  });

  it.each(Object.entries(same))('%s has one rate with the request for the same', async (type, asked) => {
    const [fields, method, path, body] = asked;
    const [ann, bob] = [await register(), await register()];
    const created = await api('POST', '/api/groups', ann.token, { name: 'Garden', memberIds: [bob.memberId] });
    const conversationId = created.body['data'].id as string;
    const at = path.replace(':id', conversationId).replace(':member', bob.memberId);
    const ask = async () => (await api(method, at, ann.token, body)).status;
    expect(await ask()).toBeLessThan(300);
    using socket = await signedIn(ann.token);
    const inRoom = type.startsWith('message:') ? { conversationId } : {};
    socket.send({ type, ...inRoom, ...fields });
    socket.send({ type, ...inRoom, ...fields });
    socket.send({ type: 'ping' });
    const errors: WireFrame[] = [];
    for (let frame = await socket.next(); frame['type'] !== 'pong'; frame = await socket.next())
      if (frame['type'] === 'error') errors.push(frame);
    expect(errors).toMatchObject([{ of: type, code: 'RATE_LIMITED' }]);
    expect(await ask()).toBe(429);
  });
});
