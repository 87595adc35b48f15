import { closeCodes } from '../../src/contract/realtime/close-codes.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../src/service/context.ts';
import { limits } from '../../src/platform/realtime/limits.ts';
import { publish } from '../../src/platform/realtime/publish.ts';
import type { Connection } from '../../src/platform/realtime/socket.ts';
import { sampleEvents, samplePart } from '../platform/realtime/sample-topic.ts';
import { socketMembers } from '../platform/realtime/socket-members.ts';
import { eventually } from '../support/eventually.ts';
import { connectRawWs, type RawWs } from '../support/raw-ws.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import type { WsClient } from '../support/ws-client.ts';

/** Of an event: some hundreds of them are more than the system's own buffers and ours together. */
const filling = 'x'.repeat(20_000);

let node: RunningNode;
let published = 0;
/** what waited for a socket at most, in bytes, and why the server closed sockets */
let most = 0;
const closed: string[] = [];
beforeAll(async () => {
  node = await startNode();
  const { hub } = node.engine;
  hub.register(samplePart());
  // Watched from outside: what every socket has waiting is counted where it goes through.
  const { connect } = hub;
  hub.connect = (connection, caller) => connect(watched(connection), caller);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});
beforeEach(() => {
  [published, most, closed.length] = [0, 0, 0];
});

function watched(connection: Connection): Connection {
  const seen = (waiting: number): number => {
    most = Math.max(most, waiting);
    return waiting;
  };
  return {
    ...connection,
    send: (text) => seen(connection.send(text)),
    unsent: () => seen(connection.unsent()),
    close(code, reason) {
      closed.push(`${code} ${reason}`);
      connection.close(code, reason);
    },
  };
}

const { register, signedIn } = socketMembers(() => node);

async function say(topic: string, count = 1, text = filling): Promise<void> {
  await transaction(node.engine.context, async (tx) => {
    for (let at = 0; at < count; at += 1) {
      published += 1;
      await publish(tx, topic, sampleEvents.said, { number: published, ...(text !== '' && { text }) });
    }
  });
}

const numbersOf = (socket: RawWs) =>
  socket.heard.filter(({ type }) => type === 'room:said').map(({ seq }) => seq as number);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Hears in the background. */
function hearing(socket: WsClient): { readonly numbers: number[] } {
  const numbers: number[] = [];
  void (async () => {
    for (;;) {
      const frame = await socket.next();
      if (frame['type'] === 'room:said') numbers.push(frame['seq'] as number);
    }
  })().catch(() => undefined);
  return { numbers };
}

/** Publishes until the server gives the slow one up. Two thousand are 40 MB. */
async function publishUntilClosed(topic: string): Promise<void> {
  while (closed.length === 0 && published < 2_000) await say(topic);
  expect(closed).toEqual([`${closeCodes.tryAgainLater} too slow`]);
}

describe('a client that stops reading', () => {
  it(
    'is closed with 1013 when a mebibyte waits for it, and comes back to all that it missed, each event once',
    { tags: 'thorough' },
    async () => {
      const [slowMember, quickMember] = [await register(), await register()];
      using quick = await signedIn(quickMember.token);
      using slow = await connectRawWs(node.ready.port, { authorization: `Bearer ${slowMember.token}` });
      await slow.until(({ type }) => type === 'ready');
      for (const socket of [quick, { send: slow.say }]) socket.send({ type: 'subscribe', topics: ['rooms:slow'] });
      await slow.until(({ type }) => type === 'subscribed');
      expect(await quick.next()).toMatchObject({ type: 'subscribed' });
      const { numbers } = hearing(quick);
      await say('rooms:slow');
      await slow.until(({ seq }) => seq === 1);

      slow.socket.pause();
      await publishUntilClosed('rooms:slow');
      expect(most).toBeGreaterThan(limits.unsent);
      expect(most).toBeLessThan(limits.unsent + limits.event);
      const heldAtClose = most;
      await say('rooms:slow', 300);
      // Nothing is added to what waits for a socket that was given up.
      expect(most).toBe(heldAtClose);
      await eventually(() => expect(numbers).toEqual(range(1, published)));
      // Somebody who reads isn't closed, however much is published at once.
      expect(closed).toHaveLength(1);

      slow.socket.resume();
      await slow.gone;
      const before = numbersOf(slow);
      expect(before).toEqual(range(1, before.length));
      expect(published - before.length).toBeGreaterThan(300);
      expect(published - before.length).toBeLessThan(limits.replayed);

      using again = await connectRawWs(node.ready.port, { authorization: `Bearer ${slowMember.token}` });
      await again.until(({ type }) => type === 'ready');
      again.say({ type: 'resume', topics: { 'rooms:slow': before.length } });
      // It goes on while the missed ones are sent.
      await Promise.all(Array.from({ length: 20 }, async () => await say('rooms:slow')));
      await again.until(({ type }) => type === 'subscribed');
      await again.until(({ seq }) => seq === published);
      expect([...before, ...numbersOf(again)]).toEqual(range(1, published));
      await eventually(() => expect(numbers).toEqual(range(1, published)));
    },
  );

  it(
    'while what it missed is sent has no more of it in memory than before, and nobody waits for it',
    { tags: 'thorough' },
    async () => {
      const [slowMember, quickMember] = [await register(), await register()];
      await say('rooms:missed', 600);
      using slow = await connectRawWs(node.ready.port, { authorization: `Bearer ${slowMember.token}` });
      await slow.until(({ type }) => type === 'ready');
      slow.say({ type: 'resume', topics: { 'rooms:missed': 0 } });
      await slow.until(({ seq }) => seq === 1);
      slow.socket.pause();
      using quick = await signedIn(quickMember.token);
      quick.send({ type: 'resume', topics: { 'rooms:missed': 0 } });
      const { numbers } = hearing(quick);
      await eventually(() => expect(numbers).toEqual(range(1, 600)));
      await say('rooms:missed', 50);
      await eventually(() => expect(numbers).toEqual(range(1, published)));
      slow.socket.resume();
      await slow.until(({ type }) => type === 'subscribed');
      await slow.until(({ seq }) => seq === published);
      expect(numbersOf(slow)).toEqual(range(1, published));
      expect(most).toBeLessThan(limits.unsentBeforeMore + 2 * limits.event);
      expect(closed).toEqual([]);
    },
  );

  it('for longer than events are sent again is told what it has to read anew', async () => {
    const { token } = await register();
    await say('rooms:long-ago', limits.replayed + 20, '');
    using socket = await connectRawWs(node.ready.port, { authorization: `Bearer ${token}` });
    await socket.until(({ type }) => type === 'ready');
    socket.say({ type: 'resume', topics: { 'rooms:long-ago': 10 } });
    await socket.until(({ type }) => type === 'subscribed');
    expect(numbersOf(socket)).toEqual(range(11, 10 + limits.replayed));
    expect(socket.heard.at(-2)).toEqual({ type: 'resync', topic: 'rooms:long-ago', seq: published });
    await say('rooms:long-ago');
    expect(await socket.until(({ seq }) => seq === published)).toMatchObject({ type: 'room:said' });
  });
});
