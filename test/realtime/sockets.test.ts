import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventHappened } from '../../src/realtime/happened.ts';
import type { Listener } from '../../src/realtime/listener.ts';
import { transaction } from '../../src/context.ts';
import { drop, publish } from '../../src/realtime/publish.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { sampleEvents, samplePart } from './sample-topic.ts';
import { connectWs, type WireFrame, type WsClient } from '../support/ws-client.ts';

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
let members = 0;

function passing(topic: string, text: string): EventHappened {
  return { kind: 'event', topic, seq: undefined, text };
}

async function api(
  method: string,
  path: string,
  token: string | undefined,
  body?: unknown,
): Promise<{ status: number; body: WireFrame }> {
  const headers = { ...json, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await node.fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as WireFrame };
}

async function register(): Promise<{ token: string; memberId: string; username: string; password: string }> {
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
  const { data } = (await (await node.engine.fetch(request)).json()) as { data: { token: string; memberId: string } };
  return { ...account, ...data };
}

async function signedIn(token: string): Promise<WsClient> {
  const socket = await connectWs(node.ready.url);
  socket.send({ type: 'auth', token });
  expect(await socket.next()).toMatchObject({ type: 'ready' });
  return socket;
}

describe('signing in on a socket', () => {
  it('by the first frame', async () => {
    const { token, memberId } = await register();
    using socket = await connectWs(node.ready.url);
    socket.send({ type: 'auth', token });
    expect(await socket.next()).toEqual({ type: 'ready', memberId });
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
    socket.send({ type: 'auth', token });
    expect(await socket.next()).toMatchObject({ type: 'error', code: 'ALREADY_AUTHENTICATED' });
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
    expect(await socket.next()).toMatchObject({ type: 'error', code: 'MALFORMED' });
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
        { type: 'error', code: 'MALFORMED' },
      ],
      [{ type: 'room:count' }, { type: 'error', code: 'MALFORMED' }],
      [
        { type: 'room:count', text: 'forbidden' },
        { type: 'error', of: 'room:count', code: 'FORBIDDEN' },
      ],
      [
        { type: 'room:enter', roomId: 'a b:c' },
        { type: 'error', code: 'MALFORMED' },
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
    expect(() =>
      hub.register({ events: [{ ...sampleEvents.said, topic: { ...sampleEvents.said.topic, kind: 'halls' } }] }),
    ).toThrow('nobody says who may hear halls');
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
      expect(await socket.next()).toMatchObject({ type: 'error', code });
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
    const heard: string[] = [];
    const listener: Listener = {
      memberId: 'm',
      username: 'u',
      type: 'User',
      sessionId: 's',
      open: true,
      send: (text) => void heard.push(text),
      unsent: () => 0,
      spend: () => true,
      close: () => undefined,
    };
    const asking = topics.subscribe(listener, 'racing:1');
    topics.deliver(passing('racing:1', 'too early'));
    topics.drop('racing:1', () => true);
    allow?.(true);
    expect(await asking).toBeUndefined();
    topics.deliver(passing('racing:1', 'not any more'));
    expect([heard, topics.subscriptionsOf(listener)]).toEqual([[], 0]);
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
    await using short = await startNode({
      config: { sessions: { lifetimeMs: 5_000, refreshGraceMs: 30_000, challengeMs: 300_000 } },
    });
    const account = { username: 'expiring', email: 'expiring@example.org', password: 'seven green bottles' };
    const answer = await short.fetch('/api/user/register', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(account),
    });
    const { data } = (await answer.json()) as { data: { token: string } };
    const authorization = { authorization: `Bearer ${data.token}` };
    using socket = await connectWs(short.ready.url, authorization);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await short.fetch('/api/user/refresh-token', { headers: authorization })).status).toBe(200);
    expect(await socket.closed).toMatchObject({ code: 4002 });
    const session = await short.engine.context.db.selectFrom('sessions').select('expires_at').executeTakeFirstOrThrow();
    expect(session.expires_at).toBeLessThanOrEqual(Date.now());
  });

  it('comes with 4001 for who says nothing for five seconds', async () => {
    expect(await silent.closed).toMatchObject({ code: 4001, reason: 'no token in time' });
  });
});
