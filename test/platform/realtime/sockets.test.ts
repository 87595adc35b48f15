import type { EventHappened } from '../../../src/service/ports/realtime.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { connectWs, type WsClient } from '../../support/ws-client.ts';
import { eventually } from '../../support/eventually.ts';
import { listenerOf } from './hearing.ts';
import { socketMembers } from './socket-members.ts';
import { staysSo } from '../../support/real-time.ts';

let node: RunningNode;
let silent: WsClient;
beforeAll(async () => {
  node = await startNode();
  silent = await connectWs(node.ready.url);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

const json = { 'content-type': 'application/json' };
const { api, register, signedIn } = socketMembers(() => node);

function passing(topic: string, text: string): EventHappened {
  return { kind: 'event', topic, seq: undefined, text };
}

describe('members with sockets', () => {
  it('are there from the first one to a while after the last one', async () => {
    const { token, memberId } = await register();
    const places = async () =>
      await node.engine.context.db
        .selectFrom('presence_sockets')
        .select('ends_at')
        .where('member_id', '=', memberId)
        .execute();
    const status = async () =>
      (await api('GET', `/api/presence?memberIds=${memberId}`, token)).body['data'].items[0].status as string;
    expect(await status()).toBe('offline');
    {
      using first = await signedIn(token);
      expect(first).toBeDefined();
      await eventually(async () => expect(await status()).toBe('online'));
      using second = await signedIn(token);
      second.send({ type: 'presence:watch', memberIds: [memberId] });
      expect(await second.next()).toEqual({ type: 'presence:watched', members: [{ memberId, status: 'online' }] });
      second.send({ type: 'presence:set', status: 'offline' });
      expect(await second.next()).toMatchObject({ type: 'error', code: 'VALIDATION_ERROR', reason: 'MALFORMED' });
      second.send({ type: 'presence:set', status: 'idle' });
      await eventually(async () => expect(await status()).toBe('idle'));
    }
    await eventually(async () => expect(await places()).toEqual([{ ends_at: expect.any(Number) }]));
    expect(await status()).toBe('idle');
  });
});

describe('signing in on a socket', () => {
  it('by the first frame', async () => {
    const { token, memberId } = await register();
    using socket = await connectWs(node.ready.url);
    socket.send({ type: 'auth', token });
    expect(await socket.next()).toEqual({ type: 'ready', memberId });
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
    socket.send({ type: 'auth', token });
    expect(await socket.next()).toMatchObject({ type: 'error', reason: 'ALREADY_AUTHENTICATED' });
  });

  it('by the header of the upgrade', async () => {
    const { token, memberId } = await register();
    using socket = await connectWs(node.ready.url, { authorization: `Bearer ${token}` });
    expect(await socket.next()).toEqual({ type: 'ready', memberId });
  });

  it.each([
    ['a token of nobody', { type: 'auth', token: 'a.b.c' }],
    ['another frame first', { type: 'ping' }],
    ['a frame that is no JSON', 'hello'],
    ['a token that is no text', { type: 'auth', token: 7 }],
  ])('with %s is refused with 4001', async (_what, frame) => {
    using socket = await connectWs(node.ready.url);
    socket.send(frame);
    expect(await socket.closed).toMatchObject({ code: 4001 });
  });

  it('as the operator is refused, who has no session to end', async () => {
    using socket = await connectWs(node.ready.url);
    socket.send({ type: 'auth', token: await node.engine.operatorToken() });
    expect(await socket.closed).toMatchObject({ code: 4001 });
  });

  it('works on ten sockets of a member, and not on an eleventh', async () => {
    const { token } = await register();
    const sockets = await Promise.all(Array.from({ length: 10 }, () => signedIn(token)));
    using eleventh = await connectWs(node.ready.url);
    eleventh.send({ type: 'auth', token });
    expect(await eleventh.closed).toMatchObject({ code: 1013 });
    sockets[0]![Symbol.dispose]();
    const tries = async () => {
      using socket = await connectWs(node.ready.url);
      socket.send({ type: 'auth', token });
      return await socket.next().then(
        (frame) => frame['type'] as string,
        () => 'refused',
      );
    };
    await expect.poll(tries).toBe('ready');
    for (const socket of sockets) socket[Symbol.dispose]();
  });
});

describe('a socket is closed with 4002 the moment', () => {
  it('its session logs out, and no other', async () => {
    const { token, username, password } = await register();
    const other = (await api('POST', '/api/user/login', undefined, { username, password })).body['data']
      .token as string;
    using mine = await signedIn(token);
    using others = await signedIn(other);
    expect((await api('POST', '/api/user/logout', token)).status).toBe(200);
    expect(await mine.closed).toMatchObject({ code: 4002 });
    others.send({ type: 'ping' });
    expect(await others.next()).toEqual({ type: 'pong' });
  });

  it('the password changes elsewhere', async () => {
    const { token, username, password } = await register();
    const other = (await api('POST', '/api/user/login', undefined, { username, password })).body['data']
      .token as string;
    using socket = await signedIn(other);
    const change = { currentPassword: password, newPassword: 'six green bottles' };
    expect((await api('POST', '/api/user/change-password', token, change)).status).toBe(200);
    expect(await socket.closed).toMatchObject({ code: 4002 });
  });

  it('its member is suspended', async () => {
    const { token, memberId } = await register();
    using socket = await signedIn(token);
    const init = {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${await node.engine.operatorToken()}` },
      body: '{}',
    };
    const answer = await node.control(new Request(`http://localhost/api/admin/members/${memberId}/suspend`, init));
    expect(answer.status).toBe(200);
    expect(await socket.closed).toMatchObject({ code: 4002 });
    using again = await connectWs(node.ready.url);
    again.send({ type: 'auth', token });
    expect(await again.closed).toMatchObject({ code: 4001 });
  });
});

describe('frames', () => {
  it('of unknown types and of no shape are answered, and the socket stays', async () => {
    const { token } = await register();
    using socket = await signedIn(token);
    for (const [frame, code] of [
      [{ type: 'dance' }, 'UNKNOWN_TYPE'],
      ['{', 'MALFORMED'],
      ['[]', 'MALFORMED'],
      ['null', 'MALFORMED'],
      [{ type: 'subscribe', topics: 'chat:1' }, 'MALFORMED'],
      [{ type: 'subscribe', topics: ['__proto__'] }, 'MALFORMED'],
      [{ type: 'resume', topics: { 'chat:1': -1 } }, 'MALFORMED'],
    ] as const) {
      socket.send(frame);
      expect(await socket.next()).toMatchObject({ type: 'error', code: 'VALIDATION_ERROR', reason: code });
    }
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });

  it('over 64 KiB end the socket with 1009', async () => {
    const { token } = await register();
    using socket = await signedIn(token);
    socket.send({ type: 'ping', filling: 'x'.repeat(64 * 1024) });
    expect(await socket.closed).toMatchObject({ code: 1009 });
  });

  it('are answered in the order in which they came', async () => {
    const { token, memberId } = await register();
    using socket = await connectWs(node.ready.url);
    socket.send({ type: 'auth', token });
    socket.send({ type: 'subscribe', topics: ['nothing:1', 'nothing:2'] });
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'ready', memberId });
    const refusedTopics = ['nothing:1', 'nothing:2'];
    expect(await socket.next()).toEqual({ type: 'subscribed', count: 0, refused: 2, refusedTopics });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });

  it('by the hundred at once are too many', async () => {
    const { token } = await register();
    using socket = await signedIn(token);
    let release: (() => void) | undefined;
    node.engine.hub.topics.register('slow', {
      allows: () => new Promise((resolve) => (release = () => resolve(false))),
    });
    socket.send({ type: 'subscribe', topics: ['slow:1'] });
    for (let i = 0; i < 200; i += 1) socket.send({ type: 'ping' });
    expect(await socket.closed).toMatchObject({ code: 1013 });
    release?.();
  });
});

describe('topics', () => {
  it('are heard by those whom their rules allow, from the answer on', async () => {
    const [ann, bob] = [await register(), await register()];
    const asked: string[] = [];
    node.engine.hub.topics.register('room', {
      async allows(listener, topic) {
        asked.push(`${listener.username} ${topic}`);
        return listener.memberId === ann.memberId;
      },
    });
    using annSocket = await signedIn(ann.token);
    using bobSocket = await signedIn(bob.token);
    for (const socket of [annSocket, bobSocket]) socket.send({ type: 'subscribe', topics: ['room:1'] });
    expect(await annSocket.next()).toEqual({ type: 'subscribed', count: 1, refused: 0, refusedTopics: [] });
    expect(await bobSocket.next()).toEqual({ type: 'subscribed', count: 0, refused: 1, refusedTopics: ['room:1'] });
    expect(asked.toSorted()).toEqual([`${ann.username} room:1`, `${bob.username} room:1`]);

    const { topics } = node.engine.hub;
    topics.deliver(passing('room:1', '{"type":"said","data":1}'));
    topics.deliver(passing('room:2', '{"type":"said","data":2}'));
    expect(await annSocket.next()).toEqual({ type: 'said', data: 1 });

    annSocket.send({ type: 'resume', topics: { 'room:3': 41 } });
    // Nothing of it is kept: it is subscribed to, and that is all.
    expect(await annSocket.next()).toMatchObject({ type: 'subscribed', count: 1, refused: 0 });

    annSocket.send({ type: 'unsubscribe', topics: ['room:3'] });
    expect(await annSocket.next()).toEqual({ type: 'unsubscribed', count: 1 });
    topics.drop('room:1', ({ memberId }) => memberId === ann.memberId);
    topics.deliver(passing('room:1', '{"type":"said","data":3}'));
    topics.deliver(passing('room:3', '{"type":"said","data":4}'));
    for (const socket of [annSocket, bobSocket]) {
      socket.send({ type: 'ping' });
      expect(await socket.next()).toEqual({ type: 'pong' });
    }
  });

  it('of which there are more than 500 are refused', async () => {
    const { token } = await register();
    node.engine.hub.topics.register('many', { allows: () => Promise.resolve(true) });
    using socket = await signedIn(token);
    socket.send({ type: 'subscribe', topics: Array.from({ length: 500 }, (_, i) => `many:${i}`) });
    expect(await socket.next()).toMatchObject({ type: 'subscribed', count: 500, refused: 0 });
    const more = Array.from({ length: 30 }, (_, i) => `many:more-${i}`);
    socket.send({ type: 'subscribe', topics: more });
    // Twenty are named, and all are counted.
    const refusedTopics = more.slice(0, 20);
    expect(await socket.next()).toEqual({ type: 'subscribed', count: 0, refused: 30, refusedTopics });
  });

  it('go to nobody who lost the right while the rules were still being asked', async () => {
    const { topics } = node.engine.hub;
    let allow: ((allowed: boolean) => void) | undefined;
    topics.register('racing', { allows: () => new Promise((resolve) => (allow = resolve)) });
    const listener = listenerOf('ann');
    const asking = topics.subscribe(listener, 'racing:1');
    topics.deliver(passing('racing:1', '"too early"'));
    topics.drop('racing:1', () => true);
    allow?.(true);
    expect(await asking).toBeUndefined();
    topics.deliver(passing('racing:1', '"not any more"'));
    expect([listener.heard, topics.subscriptionsOf(listener)]).toEqual([[], 0]);
  });
});

describe('the end', () => {
  it('comes with 1001 for everybody when the server stops', async () => {
    await using short = await startNode();
    const account = { username: 'leaving', email: 'leaving@example.org', password: 'seven green bottles' };
    const answer = await short.fetch('/api/user/register', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(account),
    });
    const { data } = (await answer.json()) as { data: { token: string } };
    using socket = await connectWs(short.ready.url, { authorization: `Bearer ${data.token}` });
    expect(await socket.next()).toMatchObject({ type: 'ready' });
    using unknown = await connectWs(short.ready.url);
    await short.stop();
    expect([(await socket.closed).code, (await unknown.closed).code]).toEqual([1001, 1001]);
  });

  it('comes when the session expires, which a refresh puts off', async () => {
    // It stands until the test advances it. The timer of a socket is as long as what is left by it, and looks again.
    const clock = { time: Date.now(), now: () => clock.time };
    await using short = await startNode({
      clock,
      config: { sessions: { lifetimeMs: 600_000, refreshGraceMs: 60_000, challengeMs: 300_000 } },
    });
    const account = { username: 'expiring', email: 'expiring@example.org', password: 'seven green bottles' };
    const answer = await short.fetch('/api/user/register', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(account),
    });
    const { data } = (await answer.json()) as { data: { token: string } };
    const authorization = { authorization: `Bearer ${data.token}` };
    const sessions = short.engine.context.db.selectFrom('sessions').select('expires_at');
    const end = async (): Promise<number> => (await sessions.executeTakeFirstOrThrow()).expires_at;
    clock.time = (await end()) - 200;
    using socket = await connectWs(short.ready.url, authorization);
    expect(await socket.next()).toMatchObject({ type: 'ready' });
    let isOpen = true;
    void socket.closed.then(() => (isOpen = false));
    expect((await short.fetch('/api/user/refresh-token', { headers: authorization })).status).toBe(200);
    // Past the first end, and almost at the second.
    clock.time = (await end()) - 200;
    await staysSo(() => expect(isOpen).toBe(true), 500);
    clock.time = await end();
    expect(await socket.closed).toMatchObject({ code: 4002 });
  });

  it('comes with 4001 for who says nothing for five seconds', async () => {
    expect(await silent.closed).toMatchObject({ code: 4001, reason: 'no token in time' });
  });
});
