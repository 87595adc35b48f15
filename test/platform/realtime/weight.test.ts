import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/service/actor.ts';
import { silentLog } from '../../../src/base/log.ts';
import { allowance, allowances } from '../../../src/platform/realtime/allowance.ts';
import { limits } from '../../../src/platform/realtime/limits.ts';
import { createRegistry } from '../../../src/platform/realtime/registry.ts';
import { Socket } from '../../../src/platform/realtime/socket.ts';
import { noEvents } from './no-events.ts';
import { createTopics } from '../../../src/platform/realtime/topics.ts';

const actor = (memberId: string): Actor => ({
  kind: 'member',
  memberId,
  username: memberId,
  type: 'User',
  sessionId: `session of ${memberId}`,
  jtiHash: '',
  jti: () => new Uint8Array(32),
  address: '192.0.2.1',
  userAgent: '',
});

/** Sockets over one hub's worth of shared things, with a clock that stands still. */
function openLine() {
  const line = { now: 1_000_000 };
  const clock = { now: () => line.now };
  const members = allowances(limits.weightPerMember, limits.weightSeconds, clock);
  const topics = createTopics({ source: noEvents, log: silentLog });
  const shared = { registry: createRegistry<Socket>(), sockets: new Set<Socket>(), members, topics };
  const signedIn = async (memberId: string) => {
    const seen: string[] = [];
    const connection = {
      send: (text: string) => {
        seen.push(text);
        return 0;
      },
      close: (code: number) => void seen.push(`closed ${code}`),
      pong: () => {},
      unsent: () => 0,
      cut: () => void seen.push('cut'),
    };
    const caller = { address: '192.0.2.1', userAgent: '' };
    const socket = new Socket(connection, caller, {
      authenticate: () => Promise.resolve(actor(memberId)),
      redeem: () => Promise.reject(new Error('not asked')),
      take: async () => undefined,
      frames: new Map(),
      sessionExpiry: () => Promise.resolve(line.now + 3_600_000),
      ...shared,
      clock,
      log: silentLog,
    });
    await socket.signIn('a token');
    return { socket, seen };
  };
  return { line, topics, members, signedIn };
}

const topicsOf = (count: number, start = 0) => Array.from({ length: count }, (_, index) => `x:${start + index}`);
const frame = (type: string, topics: unknown) => JSON.stringify({ type, topics });

describe('frames weigh', () => {
  it('by their number, until the socket is closed', async () => {
    const { signedIn } = openLine();
    const { socket, seen } = await signedIn('ann');
    for (let i = 0; i < limits.weightPerSocket; i += 1) await socket.receive('{"type":"ping"}');
    expect([seen.at(-1), socket.open]).toEqual(['{"type":"pong"}', true]);
    await socket.receive('{"type":"ping"}');
    expect([seen.at(-1), socket.open]).toEqual(['closed 4029', false]);
    const before = seen.length;
    await socket.receive('{"type":"ping"}');
    expect(seen).toHaveLength(before);
  });

  it.each([
    ['subscribe', frame('subscribe', topicsOf(500))],
    ['unsubscribe', frame('unsubscribe', topicsOf(500))],
    ['resume', frame('resume', Object.fromEntries(topicsOf(500).map((topic) => [topic, 1])))],
  ])('by their topics (%s), and are refused before any of them is looked at', async (_type, text) => {
    const { signedIn, topics } = openLine();
    let asked = 0;
    topics.register('x', { allows: async () => ((asked += 1), false) });
    const { socket, seen } = await signedIn('ann');
    const fit = Math.floor(limits.weightPerSocket / 500) - 1;
    for (let i = 0; i < fit; i += 1) await socket.receive(text);
    expect(socket.open).toBe(true);
    const [answers, askedBefore] = [seen.length, asked];
    await Promise.all(Array.from({ length: 90 - fit }, () => socket.receive(text)));
    expect([seen.at(-1), socket.open]).toEqual(['closed 4029', false]);
    expect(seen.length - answers).toBeLessThanOrEqual(1);
    expect(asked).toBe(askedBefore);
  });

  it('by their bytes, well-formed or not, before they are read', async () => {
    const { signedIn } = openLine();
    const { socket, seen } = await signedIn('ann');
    const long = 'x'.repeat(60 * 1024);
    const fit = Math.floor(limits.weightPerSocket / 61);
    for (let i = 0; i < fit; i += 1) await socket.receive(long);
    expect(JSON.parse(seen.at(-1)!)).toMatchObject({ reason: 'MALFORMED' });
    await socket.receive(long);
    expect(seen.at(-1)).toBe('closed 4029');
  });

  it('for the member as well, over all sockets, also those that come back; for nobody else', async () => {
    const { line, signedIn } = openLine();
    let closed = 0;
    let answered = 0;
    for (let i = 0; i < 100; i += 1) {
      const { socket, seen } = await signedIn('ann');
      await socket.receive(frame('subscribe', topicsOf(99)));
      if (seen.at(-1) === 'closed 4029') closed += 1;
      else answered += 1;
      socket.close(1001, '');
    }
    expect([answered, closed]).toEqual([60, 40]);
    const bob = await signedIn('bob');
    await bob.socket.receive(frame('subscribe', topicsOf(500)));
    expect(bob.socket.open).toBe(true);
    bob.socket.close(1001, '');

    line.now += limits.weightSeconds * 1000;
    const again = await signedIn('ann');
    await again.socket.receive(frame('subscribe', topicsOf(500)));
    expect(JSON.parse(again.seen.at(-1)!)).toMatchObject({ type: 'subscribed', refused: 500 });
    again.socket.close(1001, '');
  });

  it('little enough for ten pages that come back at once with all they may have', async () => {
    const { signedIn } = openLine();
    const sockets = [];
    for (let i = 0; i < limits.socketsPerMember; i += 1) {
      const { socket } = await signedIn('ann');
      const positions = topicsOf(limits.subscriptions).map((topic) => [`${topic}-${'0'.repeat(32)}`, 1_000_000]);
      await socket.receive(frame('resume', Object.fromEntries(positions)));
      sockets.push(socket);
    }
    expect(sockets.map(({ open }) => open)).toEqual(sockets.map(() => true));
    for (const socket of sockets) socket.close(1001, '');
  });
});

describe('answers', () => {
  it('are one short frame each, however long the list was', async () => {
    const { signedIn } = openLine();
    const { socket, seen } = await signedIn('ann');
    const before = seen.length;
    const long = topicsOf(450).map((topic) => `${topic}-${'y'.repeat(100)}`);
    await socket.receive(frame('subscribe', long));
    await socket.receive(frame('unsubscribe', long));
    expect(seen.length - before).toBe(2);
    const [subscribed, unsubscribed] = seen.slice(before).map((text) => JSON.parse(text));
    expect(subscribed).toEqual({ type: 'subscribed', count: 0, refused: 450, refusedTopics: long.slice(0, 20) });
    expect(unsubscribed).toEqual({ type: 'unsubscribed', count: 450 });
    socket.close(1001, '');
  });
});

describe('long lists', () => {
  it('let others have their turn, though the rules answer at once', async () => {
    const { signedIn, topics } = openLine();
    let asked = 0;
    topics.register('x', { allows: async () => ((asked += 1), true) });
    const { socket } = await signedIn('ann');
    const perTurn: number[] = [];
    let last = 0;
    let done = false;
    const watch = (): void => {
      perTurn.push(asked - last);
      last = asked;
      if (!done) setImmediate(watch);
    };
    setImmediate(watch);
    await socket.receive(frame('subscribe', topicsOf(500)));
    done = true;
    expect(asked).toBe(500);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(50);
    socket.close(1001, '');
  });

  it('are left where they are when the socket goes', async () => {
    const { signedIn, topics } = openLine();
    let asked = 0;
    const { socket, seen } = await signedIn('ann');
    topics.register('x', {
      async allows() {
        asked += 1;
        if (asked === 10) socket.close(1001, 'gone');
        return true;
      },
    });
    await socket.receive(frame('subscribe', topicsOf(500)));
    expect([asked, seen.at(-1), topics.subscriptionsOf(socket)]).toEqual([10, 'closed 1001', 0]);
  });
});

describe('allowances', () => {
  it('are kept for each key, and forgotten when their time is over', () => {
    const line = { now: 0 };
    const members = allowances(10, 1, { now: () => line.now });
    for (let i = 0; i < 1000; i += 1) expect(members.take(`member ${i}`, 10)).toBe(true);
    expect(members.take('member 7', 1)).toBe(false);
    expect(members.size).toBe(1000);
    line.now = 1000;
    expect(members.take('member 7', 10)).toBe(true);
    expect(members.size).toBe(1);
    line.now = 999;
    expect(members.take('member 7', 10)).toBe(true);
  });

  it('take what something weighs', () => {
    const take = allowance(10, 1, { now: () => 0 });
    expect([take(4), take(6), take()]).toEqual([true, true, false]);
  });
});
