import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { socketMembers } from '../../platform/realtime/socket-members.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import type { WireFrame, WsClient } from '../../support/ws-client.ts';

describe('frames of notifications, on a served node', () => {
  let node: RunningNode;
  beforeAll(async () => void (node = await startNode()));
  afterAll(async () => await node[Symbol.asyncDispose]());
  const { api, register, signedIn } = socketMembers(() => node);

  /** Types of what came to a socket, up to now: what was sent before the answer to a ping comes before it. */
  const heardBy = async (socket: WsClient): Promise<string[]> => {
    const types: string[] = [];
    socket.send({ type: 'ping' });
    for (let frame: WireFrame = await socket.next(); frame['type'] !== 'pong'; frame = await socket.next())
      types.push(frame['type']);
    return types;
  };

  it('subscribe a socket to what its own member is told, until it is unsubscribed', async () => {
    const [ada, bob] = [await register(), await register()];
    using socket = await signedIn(ada.token);
    using other = await signedIn(bob.token);
    const asked = async (to: WsClient, type: string): Promise<WireFrame> => {
      to.send({ type });
      return await to.next();
    };
    const follow = async (method: 'POST' | 'DELETE') => {
      const answer = await api(method, `/api/social/users/${ada.memberId}/follow`, bob.token, {});
      expect(answer.status).toBeLessThan(300);
    };
    const subscribed = { type: 'subscribed', count: 1, refused: 0, refusedTopics: [] };
    for (const to of [socket, other, socket]) expect(await asked(to, 'subscribe:notifications')).toEqual(subscribed);
    await follow('POST');
    expect(await socket.next()).toMatchObject({ type: 'notification:new', topic: `notifications:${ada.memberId}` });
    expect(await socket.next()).toMatchObject({ type: 'notification:count', data: { unreadCount: 1 } });
    expect(await heardBy(other)).toEqual([]);

    const unsubscribed = { type: 'unsubscribed', count: 1 };
    for (let time = 0; time < 2; time += 1)
      expect(await asked(socket, 'unsubscribe:notifications')).toEqual(unsubscribed);
    using another = await signedIn(ada.token);
    expect(await asked(another, 'subscribe:notifications')).toEqual(subscribed);
    await follow('DELETE');
    expect(await another.next()).toMatchObject({ type: 'notification:deleted' });
    expect(await heardBy(socket)).toEqual([]);
    expect(await asked(socket, 'subscribe:notifications')).toEqual(subscribed);
  });
});
