import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeCodes } from '../../../../src/contract/realtime/close-codes.ts';
import { socketLimits } from '../../../../src/contract/realtime/limits.ts';
import { socketMembers, type SocketMember } from '../../../platform/realtime/socket-members.ts';
import { eventually } from '../../../support/eventually.ts';
import { connectRawWs, frameBytes, opcodes } from '../../../support/raw-ws.ts';
import { startNode, type RunningNode } from '../../../support/running-node.ts';
import { rounds } from '../../../support/stage.ts';
import type { WireFrame, WsClient } from '../../../support/ws-client.ts';

let node: RunningNode;
beforeAll(async () => {
  node = await startNode({ env: { CONCLAVE_RATE_LIMITS: 'off' } });
});
afterAll(async () => await node[Symbol.asyncDispose]());
const { api, register, signedIn } = socketMembers(() => node);

async function ask({ token }: SocketMember, method: string, path: string, body: object = {}): Promise<WireFrame> {
  const answer = await api(method, path, token, ...(method === 'GET' ? [] : [body]));
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body['data'] as WireFrame;
}

async function groupOf(owner: SocketMember, ...others: SocketMember[]): Promise<string> {
  const memberIds = others.map(({ memberId }) => memberId);
  return (await ask(owner, 'POST', '/api/groups', { name: 'Garden', memberIds }))['id'] as string;
}

const topicOf = (conversationId: string) => `conversation:${conversationId}`;

async function subscribe(socket: WsClient, conversationId: string): Promise<WireFrame> {
  socket.send({ type: 'subscribe:conversation', conversationId });
  return await answered(socket, ({ type }) => type === 'subscribed');
}

/** The first frame that fits; what comes before it is left out. */
async function answered(socket: WsClient, fits: (frame: WireFrame) => boolean): Promise<WireFrame> {
  for (;;) {
    const frame = await socket.next();
    if (fits(frame)) return frame;
  }
}

/** All that came to a socket up to now: what was sent before the answer to a ping comes before it. */
async function heardBy(socket: WsClient): Promise<WireFrame[]> {
  const frames: WireFrame[] = [];
  socket.send({ type: 'ping' });
  for (let frame = await socket.next(); frame['type'] !== 'pong'; frame = await socket.next()) frames.push(frame);
  return frames;
}

describe('whoever sends what is no frame of conversations', () => {
  it('is answered or closed as documented, and others lose nothing that is said meanwhile', async () => {
    const [ann, bob, eve] = [await register(), await register(), await register()];
    const conversationId = await groupOf(ann, bob, eve);
    const foreign = await groupOf(ann, bob);
    using ofBob = await signedIn(bob.token);
    await subscribe(ofBob, conversationId);
    const sent: string[] = [];
    const say = async () => {
      const content = `text ${sent.length}`;
      sent.push(content);
      await ask(ann, 'POST', `/api/groups/${conversationId}/messages`, { content });
    };
    /** whether each frame is answered with the code, while ann goes on */
    const isAnswered = async (socket: WsClient, frames: readonly (readonly [unknown, string])[]) => {
      for (const [frame, code] of frames) {
        socket.send(frame);
        const answer = await answered(socket, ({ type }) => type === 'error');
        expect([frame, answer['reason']]).toEqual([frame, code]);
      }
      await say();
    };
    using ofEve = await signedIn(eve.token);
    const send = { type: 'message:send', conversationId, clientId: 'c' };
    await isAnswered(ofEve, [
      ['nonsense', 'MALFORMED'],
      [{ type: 'message:burn', conversationId }, 'UNKNOWN_TYPE'],
      [{ ...send, content: '\u200b' }, 'MALFORMED'],
      [{ ...send, content: 'x'.repeat(10_000) }, 'MALFORMED'],
      [{ ...send, content: 'a\u0000b' }, 'MALFORMED'],
      [{ ...send, content: 7 }, 'MALFORMED'],
      [{ ...send, content: 'x', clientId: 'a b' }, 'MALFORMED'],
      [{ ...send, content: 'x', clientId: undefined }, 'MALFORMED'],
      [{ ...send, content: 'x', conversationId: '../x' }, 'MALFORMED'],
      [{ ...send, content: 'x', conversationId: foreign }, 'FORBIDDEN'],
      [{ ...send, content: 'x', replyToMessageId: '0'.repeat(32) }, 'MESSAGE_NOT_FOUND'],
      [{ type: 'message:read', conversationId: foreign }, 'FORBIDDEN'],
      [{ type: 'message:read', conversationId, seq: -1 }, 'MALFORMED'],
      [{ type: 'message:typing', conversationId: foreign }, 'FORBIDDEN'],
      [{ type: 'presence:set', status: 'offline' }, 'MALFORMED'],
      [{ type: 'presence:watch', memberIds: Array.from({ length: 201 }, () => bob.memberId) }, 'MALFORMED'],
      [{ type: 'subscribe', topics: Array.from({ length: 10_000 }, () => 'x:1') }, 'MALFORMED'],
    ]);
    // Whoever claims to be somebody else is nobody else.
    ofEve.send({ type: 'message:read', conversationId, memberId: ann.memberId, userId: ann.memberId });
    ofEve.send({ ...send, content: 'Of eve', senderId: ann.memberId });
    const { messageId } = await answered(ofEve, ({ type }) => type === 'message:sent');
    const own = await ask(bob, 'GET', `/api/groups/${conversationId}/messages/${messageId}`);
    expect(own['senderId']).toBe(eve.memberId);
    expect((await ask(ann, 'GET', `/api/groups/${conversationId}`))['unread']).toBe(1);
    sent.push('Of eve');

    const topics = Array.from({ length: socketLimits.subscriptions }, (_, at) =>
      topicOf(at.toString(16).padStart(32, '0')),
    );
    ofEve.send({ type: 'subscribe', topics: [...topics.slice(2), topicOf(foreign), `inbox:${ann.memberId}`] });
    expect(await answered(ofEve, ({ type }) => type === 'subscribed')).toMatchObject({
      count: 0,
      refused: topics.length,
    });
    await say();

    // 10,000 subscriptions: one by one without a look at the answers, and by 500.
    using flood = await signedIn(eve.token);
    for (let at = 0; at < 10_000; at += 1) flood.send({ type: 'subscribe:conversation', conversationId: foreign });
    expect([closeCodes.tooMuch, closeCodes.tryAgainLater]).toContain((await flood.closed).code);
    await say();
    using greedy = await signedIn(eve.token);
    for (let frames = 0; frames < 20; frames += 1) greedy.send({ type: 'subscribe', topics });
    expect((await greedy.closed).code).toBe(closeCodes.tooMuch);
    await say();

    using large = await connectRawWs(node.ready.port, { authorization: `Bearer ${eve.token}` });
    await large.until(({ type }) => type === 'ready');
    large.write(frameBytes(JSON.stringify({ ...send, content: 'x'.repeat(1024 ** 2) })));
    await eventually(() => expect(large.closedWith).toBe(1009));
    using binary = await connectRawWs(node.ready.port, { authorization: `Bearer ${eve.token}` });
    await binary.until(({ type }) => type === 'ready');
    binary.write(frameBytes(Buffer.from([0, 0xff, 0xfe, 1]), { opcode: opcodes.binary }));
    expect(await binary.until(({ type }) => type === 'error')).toMatchObject({ reason: 'MALFORMED' });
    await say();

    const heard: string[] = [];
    while (heard.length < sent.length) {
      const { data } = await answered(ofBob, ({ type }) => type === 'communication:message_sent');
      heard.push(data.message.content);
    }
    expect(heard).toEqual(sent);
  });
});

describe('a member who was kicked', () => {
  it('hears nothing more, however a subscription and the kick meet', async () => {
    const [ann, bob, eve] = [await register(), await register(), await register()];
    const conversationId = await groupOf(ann, bob, eve);
    const path = `/api/groups/${conversationId}`;
    using ofBob = await signedIn(bob.token);
    await subscribe(ofBob, conversationId);
    for (let round = 0; round < rounds(8, 60); round += 1) {
      using ofEve = await signedIn(eve.token);
      const after = round % 2 === 0 ? { type: 'subscribe', topics: [topicOf(conversationId)] } : undefined;
      ofEve.send(after ?? { type: 'resume', topics: { [topicOf(conversationId)]: 0 } });
      await ask(ann, 'POST', `${path}/kick/${eve.memberId}`);
      const before = await heardBy(ofEve);
      const content = `after the kick ${round}`;
      await ask(ann, 'POST', `${path}/messages`, { content });
      await answered(ofBob, ({ data }) => data?.message?.content === content);
      // By now it would have come.
      const frames = await heardBy(ofEve);
      expect(frames.filter(({ topic }) => topic === topicOf(conversationId))).toEqual([]);
      expect(JSON.stringify([before, frames])).not.toContain(content);
      expect(await subscribe(ofEve, conversationId)).toMatchObject({ count: 0, refused: 1 });
      ofEve.send({ type: 'message:send', conversationId, clientId: `c${round}`, content: 'I am still here' });
      expect(await answered(ofEve, ({ type }) => type === 'error')).toMatchObject({ reason: 'FORBIDDEN' });
      await ask(ann, 'POST', `${path}/members`, { memberIds: [eve.memberId] });
    }
    const { items } = await ask(bob, 'GET', `${path}/messages?limit=200`);
    expect(JSON.stringify(items)).not.toContain('still here');
  });
});

describe('a session that ends while its socket says something', () => {
  it.each(['logout', 'suspension'])('has said nothing after the answer to that: %s', async (end) => {
    const [ann, bob] = [await register(), await register()];
    const conversationId = await groupOf(ann, bob);
    const path = `/api/groups/${conversationId}/messages`;
    using ofBob = await signedIn(bob.token);
    await subscribe(ofBob, conversationId);
    for (let at = 0; at < 30; at += 1)
      ofBob.send({ type: 'message:send', conversationId, clientId: `c${at}`, content: `text ${at}` });
    if (end === 'logout') await ask(bob, 'POST', '/api/user/logout');
    else {
      const suspended = await node.control(
        new Request(`http://localhost/api/admin/members/${bob.memberId}/suspend`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${await node.engine.operatorToken()}` },
          body: JSON.stringify({ reason: 'A test' }),
        }),
      );
      expect(suspended.status).toBe(200);
    }
    const { items: before } = await ask(ann, 'GET', path);
    expect((await ofBob.closed).code).toBe(closeCodes.sessionEnded);
    await ask(ann, 'POST', path, { content: 'The last one' });
    const { items } = await ask(ann, 'GET', path);
    const texts = (all: WireFrame[]) => all.map(({ content }) => content as string);
    expect(texts(items)).toEqual([...texts(before), 'The last one']);
    // Those that were said are the first ones, in their order.
    expect(texts(before)).toEqual(before.map((_: unknown, at: number) => `text ${at}`));
  });
});
