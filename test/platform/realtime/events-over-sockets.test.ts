import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { drop, publish } from '../../../src/platform/realtime/publish.ts';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { connectWs } from '../../support/ws-client.ts';
import { sampleEvents, sampleFrames, samplePart } from './sample-topic.ts';
import { socketMembers } from './socket-members.ts';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const { api, register, signedIn } = socketMembers(() => node);

describe('a ticket', () => {
  const ticketOf = async (token: string) =>
    (await api('POST', '/api/realtime/ticket', token, {})).body['ticket'] as string;

  it('signs one socket in, and no second one', async () => {
    const { token, memberId } = await register();
    const ticket = await ticketOf(token);
    using socket = await connectWs(node.ready.url, {}, `?ticket=${ticket}`);
    expect(await socket.next()).toEqual({ type: 'ready', memberId });
    using again = await connectWs(node.ready.url, {}, `?ticket=${ticket}`);
    expect(await again.closed).toMatchObject({ code: 4001 });
    expect(JSON.stringify(node.log.lines)).not.toContain(ticket);
    // It is the session's socket, and ends with it.
    expect((await api('POST', '/api/user/logout', token)).status).toBe(200);
    expect(await socket.closed).toMatchObject({ code: 4002 });
  });

  it('that is a token is none, and a token in the URL is nothing', async () => {
    const { token } = await register();
    using asTicket = await connectWs(node.ready.url, {}, `?ticket=${token}`);
    expect(await asTicket.closed).toMatchObject({ code: 4001 });
    using asToken = await connectWs(node.ready.url, {}, `?token=${token}&access_token=${token}`);
    asToken.send({ type: 'ping' });
    expect(await asToken.closed).toMatchObject({ code: 4001 });
  });
});

describe('events', () => {
  beforeAll(() => node.engine.hub.register(samplePart(async ({ username }) => username !== 'socket-banned')));
  const say = (number: number) =>
    transaction(node.engine.context, (tx) => publish(tx, 'rooms:1', sampleEvents.said, { number }));

  it('are heard, and heard again by those who resume', async () => {
    const { token } = await register();
    using first = await signedIn(token);
    first.send({ type: 'subscribe', topics: ['rooms:1'] });
    expect(await first.next()).toEqual({
      type: 'subscribed',
      count: 1,
      refused: 0,
      refusedTopics: [],
      positions: { 'rooms:1': 0 },
    });
    for (const number of [1, 2, 3]) await say(number);
    const heard = [await first.next(), await first.next(), await first.next()];
    expect(heard.map(({ seq, data }) => [seq, data])).toEqual([1, 2, 3].map((number) => [number, { number }]));
    using second = await signedIn(token);
    second.send({ type: 'resume', topics: { 'rooms:1': 1 } });
    expect([await second.next(), await second.next()]).toEqual(heard.slice(1));
    expect(await second.next()).toMatchObject({ type: 'subscribed', positions: { 'rooms:1': 3 } });
    await transaction(node.engine.context, (tx) => drop(tx, 'rooms:1', 'everybody'));
    await say(4);
    for (const socket of [first, second]) {
      socket.send({ type: 'ping' });
      expect(await socket.next()).toEqual({ type: 'pong' });
    }
  });

  it('of the vaults of a member are the member’s alone', async () => {
    const [ann, bob] = [await register(), await register()];
    using socket = await signedIn(bob.token);
    socket.send({ type: 'subscribe', topics: [`vaults:${ann.memberId}`, `vaults:${bob.memberId}`, 'vaults:'] });
    expect(await socket.next()).toMatchObject({ type: 'error', reason: 'MALFORMED' });
    socket.send({
      type: 'subscribe',
      topics: [`vaults:${ann.memberId}`, `vaults:${bob.memberId}`, `vaults:${bob.memberId}:x`],
    });
    expect(await socket.next()).toMatchObject({
      count: 1,
      refusedTopics: [`vaults:${ann.memberId}`, `vaults:${bob.memberId}:x`],
    });
  });

  it('come beside frames of the services, which are checked, answered and refused as declared', async () => {
    const { token } = await register();
    using socket = await signedIn(token);
    for (const [frame, answer] of [
      [
        { type: 'room:count', text: 'four' },
        { type: 'room:counted', length: 4 },
      ],
      [
        { type: 'room:count', text: 'x'.repeat(11) },
        { type: 'error', reason: 'MALFORMED' },
      ],
      [{ type: 'room:count' }, { type: 'error', reason: 'MALFORMED' }],
      [
        { type: 'room:count', text: 'forbidden' },
        { type: 'error', of: 'room:count', reason: 'FORBIDDEN' },
      ],
      [
        { type: 'room:enter', roomId: 'a b:c' },
        { type: 'error', reason: 'MALFORMED' },
      ],
    ] as const) {
      socket.send(frame);
      expect(await socket.next()).toMatchObject(answer);
    }
    socket.send({ type: 'room:enter', roomId: '7' });
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
    await publish(node.engine.context, 'rooms:7', sampleEvents.typing, { username: 'ann' });
    expect(await socket.next()).toMatchObject({ type: 'room:typing', topic: 'rooms:7', data: { username: 'ann' } });
  });

  it('and frames are registered once, with somebody who says who may hear them', () => {
    const { hub } = node.engine;
    expect(() => hub.register(samplePart())).toThrow('registered already');
    expect(() => hub.register({ declared: [sampleFrames.count] })).toThrow('nobody carries out the frame room:count');
    expect(() => hub.register({ frames: samplePart().frames ?? [] })).toThrow(
      'the frame room:count is registered already',
    );
    expect(() =>
      hub.register({ events: [{ ...sampleEvents.said, topic: { ...sampleEvents.said.topic, kind: 'halls' } }] }),
    ).toThrow('nobody says who may hear halls');
  });
});
