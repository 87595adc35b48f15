import { closeCodes } from '../../src/contract/realtime/close-codes.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../src/service/context.ts';
import { socketLimits } from '../../src/contract/realtime/limits.ts';
import { limits } from '../../src/platform/realtime/limits.ts';
import { drop, publish } from '../../src/platform/realtime/publish.ts';
import { sampleEvents, samplePart } from '../platform/realtime/sample-topic.ts';
import { socketMembers, type SocketMember } from '../platform/realtime/socket-members.ts';
import { eventually } from '../support/eventually.ts';
import { connectRawWs, frameBytes, opcodes } from '../support/raw-ws.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { connectWs, type WsClient } from '../support/ws-client.ts';

/** Rooms whose name begins so are for nobody. */
const shut = 'shut';

let node: RunningNode;
let good: SocketMember;
let witness: WsClient;
/** what the rules of the rooms were asked, and what holds them back */
let asked = 0;
let held: ((topic: string) => Promise<void>) | undefined;
/** where the node's clock stands still */
let stopped: number | undefined;
beforeAll(async () => {
  node = await startNode({ clock: { now: () => stopped ?? Date.now() } });
  node.engine.hub.register(
    samplePart(async (_listener, topic) => {
      asked += 1;
      await held?.(topic);
      return !topic.startsWith(`rooms:${shut}`);
    }),
  );
  good = await register();
  witness = await signedIn(good.token);
  witness.send({ type: 'subscribe', topics: ['rooms:witness'] });
  expect(await witness.next()).toMatchObject({ type: 'subscribed', count: 1 });
});
afterAll(async () => {
  witness[Symbol.dispose]();
  await node[Symbol.asyncDispose]();
});

const { api, register, signedIn } = socketMembers(() => node);

async function say(topic: string, number: number, text?: string): Promise<void> {
  const data = { number, ...(text !== undefined && { text }) };
  await transaction(node.engine.context, (tx) => publish(tx, topic, sampleEvents.said, data));
}

let said = 0;
/** Somebody who does nothing wrong hears and is answered as before. */
async function othersAreServed(): Promise<void> {
  said += 1;
  await say('rooms:witness', said);
  expect(await witness.next()).toMatchObject({ type: 'room:said', seq: said, data: { number: said } });
  witness.send({ type: 'ping' });
  expect(await witness.next()).toEqual({ type: 'pong' });
  expect((await node.fetch('/health')).status).toBe(200);
}

const bearer = ({ token }: SocketMember) => ({ authorization: `Bearer ${token}` });
const topicsOf = (count: number, of: string) => Array.from({ length: count }, (_, index) => `rooms:${of}-${index}`);

describe('frames that are no frames', () => {
  const nested = (deep: number) => `{"type":"subscribe","topics":${'['.repeat(deep)}${']'.repeat(deep)}}`;
  it.each([
    ['lists in lists', nested(30_000), 'MALFORMED'],
    ['objects in objects', `{"type":"ping","a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`, undefined],
    ['a type that is an object', '{"type":{"toString":"ping"}}', 'MALFORMED'],
    ['a type of every object', '{"type":"constructor"}', 'UNKNOWN_TYPE'],
    ['a type of no object', '{"type":"__proto__"}', 'UNKNOWN_TYPE'],
    ['the type that services have inside', '{"type":""}', 'UNKNOWN_TYPE'],
    ['two types', '{"type":"ping","type":"dance"}', 'UNKNOWN_TYPE'],
    ['a prototype with topics', '{"type":"subscribe","__proto__":{"topics":["rooms:1"]}}', 'MALFORMED'],
    ['topics by prototype', '{"type":"resume","topics":{"__proto__":1}}', undefined],
    ['a topic with a line break', '{"type":"subscribe","topics":["rooms:1\\n2"]}', 'MALFORMED'],
    ['a topic with a NUL', '{"type":"subscribe","topics":["rooms:1\\u0000"]}', 'MALFORMED'],
    ['a topic without a name', '{"type":"subscribe","topics":["rooms:"]}', 'MALFORMED'],
    ['a topic that is too long', `{"type":"subscribe","topics":["rooms:${'x'.repeat(128)}"]}`, 'MALFORMED'],
    ['more topics than there may be', JSON.stringify({ type: 'subscribe', topics: topicsOf(501, 'x') }), 'MALFORMED'],
    ['a number and a half', '{"type":"resume","topics":{"rooms:1":1.5}}', 'MALFORMED'],
    ['a number below zero', '{"type":"resume","topics":{"rooms:1":-1}}', 'MALFORMED'],
    ['a number above all', '{"type":"resume","topics":{"rooms:1":1e308}}', 'MALFORMED'],
    ['a number that is none any more', '{"type":"resume","topics":{"rooms:1":9007199254740993}}', 'MALFORMED'],
    ['a number without an end', '{"type":"resume","topics":{"rooms:1":1e999}}', 'MALFORMED'],
    ['a number in a text', '{"type":"resume","topics":{"rooms:1":"1"}}', 'MALFORMED'],
    ['no number', '{"type":"resume","topics":{"rooms:1":null}}', 'MALFORMED'],
    ['nothing', '', 'MALFORMED'],
    ['a lone surrogate', '{"type":"subscribe","topics":["\\ud800"]}', 'MALFORMED'],
  ])('such as %s are answered, and the socket stays', async (_what, frame, code) => {
    using socket = await signedIn(good.token);
    socket.send(frame);
    if (code !== undefined) expect(await socket.next()).toMatchObject({ type: 'error', reason: code });
    socket.send({ type: 'ping' });
    let answer = await socket.next();
    while (answer['type'] !== 'pong') answer = await socket.next();
    expect(answer).toEqual({ type: 'pong' });
  });

  const text = JSON.stringify({ type: 'ping' });
  it.each([
    ['text that is no UTF-8', frameBytes(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 1007],
    ['what is not masked', frameBytes(text, { masked: false }), 1002],
    ['a reserved bit, as of compression', frameBytes(text, { reserved: 4 }), 1002],
    ['a kind that there is not', frameBytes(text, { opcode: 3 }), 1002],
    ['a part of nothing', frameBytes(text, { opcode: opcodes.more }), 1002],
    ['a ping in parts', frameBytes('x', { opcode: opcodes.ping, final: false }), 1002],
    ['a ping that is too long', frameBytes('x'.repeat(126), { opcode: opcodes.ping }), 1002],
    ['a length that nobody sends', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255]), 1009],
    ['a length that is above the bound', Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]), 1009],
    ['too many parts', Buffer.concat([...partsOf(limits.fragments + 2)]), 1008],
  ])('of the protocol below, such as %s, end the socket by their code', async (_what, bytes, code) => {
    using socket = await connectRawWs(node.ready.port, bearer(good));
    await socket.until(({ type }) => type === 'ready');
    socket.write(bytes);
    await eventually(() => expect(socket.closedWith).toBe(code));
    socket.socket.end();
    await socket.gone;
    await othersAreServed();
  });

  it('that are binary are read as what they say', async () => {
    using socket = await connectRawWs(node.ready.port, bearer(good));
    await socket.until(({ type }) => type === 'ready');
    socket.write(frameBytes(text, { opcode: opcodes.binary }));
    await socket.until(({ type }) => type === 'pong');
    socket.write(frameBytes(Buffer.from([0xff, 0xfe]), { opcode: opcodes.binary }));
    expect(await socket.until(({ type }) => type === 'error')).toMatchObject({ reason: 'MALFORMED' });
  });
});

function* partsOf(count: number): Generator<Buffer> {
  yield frameBytes('{', { final: false });
  for (let at = 1; at < count; at += 1) yield frameBytes(' ', { opcode: opcodes.more, final: false });
}

describe('topics that a member may not hear', () => {
  it('are refused like those that there are not, whatever number is claimed of them', async () => {
    for (const number of [1, 2, 3]) await say(`rooms:${shut}-1`, number);
    const bob = await register();
    using socket = await signedIn(bob.token);
    const refused = [`rooms:${shut}-1`, `rooms:${shut}-never`, 'halls:1', `vaults:${good.memberId}`, 'vaults:nobody'];
    for (const number of [undefined, 0, 2, 3, Number.MAX_SAFE_INTEGER]) {
      for (const topic of refused) {
        socket.send(
          number === undefined
            ? { type: 'subscribe', topics: [topic] }
            : { type: 'resume', topics: { [topic]: number } },
        );
        // Nothing before it, and no position: nobody learns what is there.
        expect(await socket.next()).toEqual({ type: 'subscribed', count: 0, refused: 1, refusedTopics: [topic] });
      }
    }
    await say(`rooms:${shut}-1`, 4);
    await othersAreServed();
    socket.send({ type: 'room:enter', roomId: `${shut}_1` });
    expect(await socket.next()).toMatchObject({ type: 'error', of: 'room:enter', reason: 'NOT_FOUND' });
  });

  it('stay unheard when the right is taken between the question and the first event', async () => {
    for (const number of [1, 2]) await say('rooms:taken', number);
    const bob = await register();
    let release = (): void => {};
    const asking = new Promise<void>((resolve) => {
      held = async () => {
        resolve();
        await new Promise<void>((go) => (release = go));
      };
    });
    using socket = await signedIn(bob.token);
    socket.send({ type: 'resume', topics: { 'rooms:taken': 0 } });
    await asking;
    held = undefined;
    await transaction(node.engine.context, (tx) => drop(tx, 'rooms:taken', [bob.memberId]));
    release();
    expect(await socket.next()).toEqual({
      type: 'subscribed',
      count: 0,
      refused: 1,
      refusedTopics: ['rooms:taken'],
    });
    await say('rooms:taken', 3);
    await othersAreServed();
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });

  it('end in the middle of what was missed when the right is taken, and nothing later is heard', async () => {
    const bob = await register();
    const filling = 'x'.repeat(60_000);
    await transaction(node.engine.context, async (tx) => {
      for (let number = 1; number <= 300; number += 1)
        await publish(tx, 'rooms:long', sampleEvents.said, { number, text: filling });
    });
    using socket = await connectRawWs(node.ready.port, bearer(bob));
    await socket.until(({ type }) => type === 'ready');
    socket.say({ type: 'resume', topics: { 'rooms:long': 0 } });
    await socket.until(({ seq }) => seq === 1);
    // 18 MB are more than the system takes for a client that doesn't read: the server waits in between.
    socket.socket.pause();
    await transaction(node.engine.context, (tx) => drop(tx, 'rooms:long', [bob.memberId]));
    await say('rooms:long', 301);
    socket.socket.resume();
    const answer = await socket.until(({ type }) => type === 'subscribed');
    expect(answer).toMatchObject({ count: 0, refused: 1, refusedTopics: ['rooms:long'] });
    const numbers = socket.heard.filter(({ type }) => type === 'room:said').map(({ seq }) => seq as number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeLessThan(300);
    socket.heard.length = 0;
    await say('rooms:long', 302);
    socket.say({ type: 'ping' });
    await socket.until(({ type }) => type === 'pong');
    expect(socket.heard).toEqual([{ type: 'pong' }]);
    await othersAreServed();
  });
});

describe('numbers of events that are made up', () => {
  it('give nothing that has not been, and what follows comes once', async () => {
    for (const number of [1, 2, 3]) await say('rooms:forged', number);
    for (let number = 1; number <= 5; number += 1) await say('rooms:other', number);
    using socket = await signedIn(good.token);
    const resync = { type: 'resync', topic: 'rooms:forged', seq: 3 };
    // The last is of another topic.
    for (const number of [4, 2 ** 31, Number.MAX_SAFE_INTEGER, 5]) {
      socket.send({ type: 'resume', topics: { 'rooms:forged': number } });
      expect(await socket.next()).toEqual(resync);
      expect(await socket.next()).toMatchObject({ type: 'subscribed', positions: { 'rooms:forged': 3 } });
    }
    await say('rooms:forged', 4);
    expect(await socket.next()).toMatchObject({ type: 'room:said', seq: 4 });
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
  });

  it('of topics that never were are as empty as the topics', async () => {
    using socket = await signedIn(good.token);
    socket.send({ type: 'resume', topics: { 'rooms:never': 7, 'rooms:ever': 0 } });
    expect(await socket.next()).toEqual({ type: 'resync', topic: 'rooms:never', seq: 0 });
    expect(await socket.next()).toMatchObject({ count: 2, positions: { 'rooms:never': 0, 'rooms:ever': 0 } });
  });
});

describe('one who asks for too much', () => {
  it(
    'by resuming the same again and again is closed with 4029, having been sent no more than the allowance',
    { tags: 'soak' },
    async () => {
      const bob = await register();
      await transaction(node.engine.context, async (tx) => {
        for (let number = 1; number <= 200; number += 1)
          await publish(tx, 'rooms:again', sampleEvents.said, { number });
      });
      // One for the frame, one for its topic, and one for each page of its events that is full.
      const weight = 2 + Math.floor(200 / limits.eventsAtOnce);
      const within = Math.floor(limits.weightPerSocket / weight);
      stopped = Date.now();
      try {
        using socket = await signedIn(bob.token);
        const before = asked;
        let events = 0;
        const listening = (async () => {
          for (;;) if ((await socket.next())['type'] === 'room:said') events += 1;
        })().catch(() => undefined);
        for (let frames = 0; frames <= within; frames += 10) {
          // Below what may wait in a socket's queue.
          for (let at = 0; at < 10; at += 1) socket.send({ type: 'resume', topics: { 'rooms:again': 0 } });
          await Promise.race([socket.closed, eventually(() => expect(asked - before).toBe(frames + 10))]);
        }
        expect(await socket.closed).toMatchObject({ code: closeCodes.tooMuch });
        await listening;
        expect(asked - before).toBeGreaterThan(within - 20);
        expect(asked - before).toBeLessThanOrEqual(within + 1);
        expect(events).toBeLessThanOrEqual((within + 1) * 200);
      } finally {
        stopped = undefined;
      }
      await othersAreServed();
    },
  );

  it('by 500 topics on each of ten sockets has those, and their next is refused', async () => {
    const bob = await register();
    const sockets = await Promise.all(Array.from({ length: limits.socketsPerMember }, () => signedIn(bob.token)));
    const mine = topicsOf(limits.subscriptions, 'wide');
    for (const socket of sockets) socket.send({ type: 'subscribe', topics: mine });
    for (const socket of sockets) expect(await socket.next()).toMatchObject({ count: 500, refused: 0 });
    const [first] = sockets;
    first?.send({ type: 'room:enter', roomId: 'one_more' });
    expect(await first?.next()).toMatchObject({ type: 'error', reason: 'NOT_FOUND' });
    await Promise.all(topicsOf(20, 'wide').map((topic) => say(topic, 1)));
    for (const socket of sockets) for (let at = 0; at < 20; at += 1) expect((await socket.next())['seq']).toBe(1);
    await othersAreServed();
    for (const socket of sockets) socket[Symbol.dispose]();
    // What they heard is forgotten with them.
    await eventually(() => expect(node.engine.hub.size).toBe(1));
  });

  it('by fifty sockets at once gets ten, and 1013 for the others', async () => {
    const bob = await register();
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async () => await connectWs(node.ready.url, bearer(bob))),
    );
    const ends = await Promise.all(
      sockets.map(async (socket) => {
        const ready = await socket.next().catch(() => undefined);
        return ready === undefined ? (await socket.closed).code : ready['type'];
      }),
    );
    expect(ends.filter((end) => end === 'ready')).toHaveLength(limits.socketsPerMember);
    expect(ends.filter((end) => end === closeCodes.tryAgainLater)).toHaveLength(50 - limits.socketsPerMember);
    await othersAreServed();
    for (const socket of sockets) socket[Symbol.dispose]();
    await eventually(() => expect(node.engine.hub.size).toBe(1));
  });
});

describe('a ticket', () => {
  const ticketOf = async ({ token }: SocketMember) => {
    const { status, body } = await api('POST', '/api/realtime/ticket', token, {});
    expect(status).toBe(200);
    return body['ticket'] as string;
  };
  const by = async (ticket: string, localAddress?: string) => {
    using socket = await connectRawWs(
      node.ready.port,
      {},
      {
        query: `?ticket=${encodeURIComponent(ticket)}`,
        ...(localAddress !== undefined && { localAddress }),
      },
    );
    await eventually(() => expect(socket.heard.length > 0 || socket.closedWith !== undefined).toBe(true));
    return socket.closedWith ?? socket.heard[0]?.['type'];
  };

  it('that thirty bring at the same moment is good for one of them', async () => {
    const bob = await register();
    const ticket = await ticketOf(bob);
    const ends = await Promise.all(Array.from({ length: 30 }, async () => await by(ticket)));
    expect(ends.filter((end) => end === 'ready')).toHaveLength(1);
    expect(ends.filter((end) => end === closeCodes.unauthenticated)).toHaveLength(29);
  });

  it('is good from another address too, since a device has several, and is gone after that', async () => {
    const bob = await register();
    const ticket = await ticketOf(bob);
    expect(await by(ticket, '127.0.0.7')).toBe('ready');
    expect(await by(ticket)).toBe(closeCodes.unauthenticated);
  });

  it('that comes late is refused, and gone', async () => {
    const bob = await register();
    const ticket = await ticketOf(bob);
    try {
      stopped = node.engine.context.clock.now() + socketLimits.ticketSeconds * 1000;
      expect(await by(ticket)).toBe(closeCodes.unauthenticated);
    } finally {
      stopped = undefined;
    }
    expect(await by(ticket)).toBe(closeCodes.unauthenticated);
    expect(await node.engine.context.db.selectFrom('socket_tickets').selectAll().execute()).toEqual([]);
  });

  it('of a session that has ended is refused', async () => {
    const bob = await register();
    const ticket = await ticketOf(bob);
    expect((await api('POST', '/api/user/logout', bob.token)).status).toBe(200);
    expect(await by(ticket)).toBe(closeCodes.unauthenticated);
  });

  it('of a member who was suspended is refused', async () => {
    const bob = await register();
    const ticket = await ticketOf(bob);
    await node.engine.context.db
      .updateTable('members')
      .set({ status: 'suspended' })
      .where('id', '=', bob.memberId)
      .execute();
    expect(await by(ticket)).toBe(closeCodes.unauthenticated);
  });

  it.each(['', 'x', "' or 1=1 --", 'A'.repeat(43), 'A'.repeat(10_000), '%00'])('such as %j is none', async (made) => {
    expect(await by(made)).toBe(closeCodes.unauthenticated);
  });
});
