import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { GossipPort, IncomingBytes, OutgoingBytes } from '../../../../src/service/ports/network.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { gossipNodes, testLimits, until, untilConnected, type GossipNode } from '../../../support/gossip-nodes.ts';
import { problemCode } from '../../../support/problem-code.ts';
import { elapses } from '../../../support/real-time.ts';

/** Busy machines answer late, and rounds don't belong to what is counted here. */
const calm = { reconcileMs: 600_000, answerMs: 60_000 };
const maxBytes = 1024 ** 3;

interface Asked {
  readonly size: number;
  readonly piece: number;
}

/** A prime number of bytes, so that no piece of another size looks like its neighbour. */
const pattern = randomBytes(65_521);

/** Bytes that say where they are, so that none can be missing, twice or in another place. */
function patternAt(offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  const start = offset % pattern.length;
  for (let at = -start; at < size; at += pattern.length) pattern.copy(bytes, Math.max(0, at), Math.max(0, -at));
  return bytes;
}

/** What a source was asked for, and what it gave. */
interface Watched {
  produced: number;
  offsets: number[];
  open: number;
  ended: number;
}

function watched(): Watched {
  return { produced: 0, offsets: [], open: 0, ended: 0 };
}

function patterns(seen: Watched, { size, piece }: Asked): OutgoingBytes {
  return {
    size,
    hash: `pattern-${size}`,
    async *open(offset, signal) {
      seen.offsets.push(offset);
      seen.open += 1;
      signal.addEventListener('abort', () => (seen.ended += 1));
      try {
        for (let at = offset; at < size; at += piece) {
          const bytes = patternAt(at, Math.min(piece, size - at));
          seen.produced += bytes.length;
          yield bytes;
        }
      } finally {
        seen.open -= 1;
      }
    },
  };
}

function serving(seen: Watched): (port: GossipPort) => void {
  return (port) => port.serveBytes('test', { answer: (asked) => Promise.resolve(patterns(seen, asked as Asked)) });
}

async function whole(bytes: IncomingBytes): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function pair(options: Parameters<typeof gossipNodes>[1]) {
  const pool = await gossipNodes(2, { ...options, limits: { ...calm, ...options?.limits } });
  await untilConnected(pool.nodes);
  const [asking, asked] = pool.nodes as [GossipNode, GossipNode];
  return { asking, asked, pool: pool.pool, [Symbol.asyncDispose]: async () => await pool[Symbol.asyncDispose]() };
}

describe('streams of bytes', () => {
  it('bring any content unchanged, whatever the size of its pieces', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    for (const [size, piece] of [
      [0, 10],
      [1, 1],
      [5_000, 7],
      [65_507, 65_507],
      [300_000, 65_536],
      [1_000_001, 300_000],
      [3_000_000, 3_000_000],
    ] as const) {
      await using bytes = await nodes.asking.port.fetchBytes(nodes.asked.nodeId, 'test', { size, piece }, { maxBytes });
      expect(bytes.size).toBe(size);
      expect(bytes.hash).toBe(`pattern-${size}`);
      expect((await whole(bytes)).equals(patternAt(0, size)), `${size} in pieces of ${piece}`).toBe(true);
    }
    await until('all streams have ended', () => seen.open === 0 && seen.ended === 7);
    expect(nodes.asking.switchboard.metrics.read('streams_fetched')).toBe(7);
    expect(nodes.asked.switchboard.metrics.read('streams_sent')).toBe(7);
  });

  it('begin at an offset, and end where the content does', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    const from = async (offset: number): Promise<Buffer> => {
      await using bytes = await nodes.asking.port.fetchBytes(nodes.asked.nodeId, 'test', ask, { maxBytes, offset });
      return await whole(bytes);
    };
    const ask: Asked = { size: 200_000, piece: 30_000 };
    expect((await from(123_456)).equals(patternAt(123_456, 76_544))).toBe(true);
    expect((await from(200_000)).length).toBe(0);
    expect(await problemCode(from(200_001))).toBe('PEER_REFUSED: STREAM_OFFSET');
    expect(seen.offsets).toEqual([123_456, 200_000]);
  });

  it('go on where they were when the connection was lost', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    const ask: Asked = { size: 4_000_000, piece: 50_000 };
    const have: Uint8Array[] = [];
    const cut = async (): Promise<void> => {
      await using bytes = await nodes.asking.port.fetchBytes(nodes.asked.nodeId, 'test', ask, { maxBytes });
      for await (const piece of bytes) {
        have.push(piece);
        if (Buffer.concat(have).length > 1_000_000) await nodes.asked.stop();
      }
    };
    expect(await problemCode(cut())).toMatch(/^PEER_UNREACHABLE/);
    await until('the sender has noticed', () => seen.open === 0 && seen.ended === 1);
    const offset = Buffer.concat(have).length;
    expect(offset).toBeLessThan(ask.size);
    await nodes.asked.start();
    await untilConnected([nodes.asking, nodes.asked]);
    const options = { maxBytes, offset, hash: 'pattern-4000000' };
    await using rest = await nodes.asking.port.fetchBytes(nodes.asked.nodeId, 'test', ask, options);
    have.push(await whole(rest));
    expect(Buffer.concat(have).equals(patternAt(0, ask.size))).toBe(true);
    expect(seen.offsets).toEqual([0, offset]);
  });

  it('are refused before a byte was sent: for their size, their hash, and by the other node', async () => {
    const seen = watched();
    await using nodes = await pair({
      onStart(port) {
        serving(seen)(port);
        const forbidden = new Problem('forbidden', 'POOL_CLOSED', 'No.');
        port.serveBytes('closed', { answer: () => Promise.reject(forbidden) });
        port.serveBytes('broken', { answer: () => Promise.reject(new Error('the secret is hunter2')) });
      },
    });
    const { asking, asked } = nodes;
    const ask: Asked = { size: 100_000, piece: 1_000 };
    const fetch = (protocol: string, question: unknown, more: object = {}): Promise<string> =>
      problemCode(asking.port.fetchBytes(asked.nodeId, protocol, question, { maxBytes, ...more }));
    expect(await fetch('test', ask, { maxBytes: 99_999 })).toBe('STREAM_TOO_LARGE');
    expect(await fetch('test', ask, { hash: 'another' })).toBe('STREAM_DIFFERS');
    expect(await fetch('closed', 1)).toBe('PEER_REFUSED: POOL_CLOSED');
    expect(await fetch('broken', 1)).toBe('PEER_REFUSED: INTERNAL');
    expect(await fetch('unknown', 1)).toBe('PEER_REFUSED');
    expect(await fetch('test', 'x'.repeat(70_000))).toBe('PEER_REFUSED: QUESTION_TOO_LARGE');
    expect(await fetch('test', ask, { offset: -1 })).toBe('PEER_REFUSED: QUESTION_MALFORMED');
    expect(JSON.stringify(asking.log.lines)).not.toContain('hunter2');
    await until('the streams have ended', () => seen.open === 0);
    // What the window had room for may have left before the refusal came; the source was never asked for more.
    expect(seen.produced).toBeLessThanOrEqual(2 * ask.size);
  });

  it('of one peer and of all are bounded, and whoever comes too late is told so', async () => {
    const seen = watched();
    const streams = { ...testLimits.streams, ofPeer: 2 };
    await using nodes = await pair({ onStart: serving(seen), limits: { streams } });
    const { asking, asked } = nodes;
    const ask: Asked = { size: 10_000_000, piece: 10_000 };
    const open = async (from: GossipNode, to: GossipNode): Promise<IncomingBytes> =>
      await from.port.fetchBytes(to.nodeId, 'test', ask, { maxBytes });
    const [first, second] = [await open(asking, asked), await open(asking, asked)];
    // This side doesn't even ask.
    expect(await problemCode(open(asking, asked))).toBe('STREAMS_BUSY');
    expect(asked.switchboard.metrics.read('streams_refused')).toBe(0);
    // The other direction has places of its own.
    const other = await open(asked, asking);
    await first[Symbol.asyncDispose]();
    await until('the place is free', async () => {
      const third = await open(asking, asked).catch(() => undefined);
      await third?.[Symbol.asyncDispose]();
      return third !== undefined;
    });
    for (const one of [second, other]) await one[Symbol.asyncDispose]();
  });

  it('make the sender wait for whoever reads slowly', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    const { windowBytes } = testLimits.streams;
    const ask: Asked = { size: 64 * 1024 ** 2, piece: 16_384 };
    await using bytes = await nodes.asking.port.fetchBytes(nodes.asked.nodeId, 'test', ask, { maxBytes });
    let taken = 0;
    for await (const piece of bytes) {
      taken += piece.length;
      // Long enough for anything that isn't held back.
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(piece.length).toBeLessThanOrEqual(windowBytes);
      expect(seen.produced - taken).toBeLessThanOrEqual(windowBytes + ask.piece);
      if (taken > 4 * 1024 ** 2) break;
    }
    await until('the sender has noticed', () => seen.open === 0 && seen.ended === 1);
    expect(seen.produced).toBeLessThan(taken + 2 * windowBytes);
  });

  it('end on both sides when the signal says so, also before they begin', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    const ask: Asked = { size: 50_000_000, piece: 10_000 };
    const given = new AbortController();
    const enough = new Error('enough');
    const reading = async (): Promise<void> => {
      const options = { maxBytes, signal: given.signal };
      await using bytes = await nodes.asking.port.fetchBytes(nodes.asked.nodeId, 'test', ask, options);
      for await (const piece of bytes) if (piece.length > 0) given.abort(enough);
    };
    await expect(reading()).rejects.toBe(enough);
    await until('the sender has noticed', () => seen.open === 0 && seen.ended === 1);
    await expect(reading()).rejects.toBe(enough);
    expect(seen.offsets).toEqual([0]);
    expect(seen.produced).toBeLessThan(ask.size);
  });

  it('of a node that is removed end at once, and it gets no new ones', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    const { asking, asked, pool } = nodes;
    const ask: Asked = { size: 50_000_000, piece: 10_000 };
    const reading = async (): Promise<void> => {
      await using bytes = await asking.port.fetchBytes(asked.nodeId, 'test', ask, { maxBytes });
      for await (const piece of bytes) {
        if (piece.length === 0 || !pool.admitted.delete(asking.nodeId)) continue;
        await asked.port.admissionChanged();
      }
    };
    expect(await problemCode(reading())).toMatch(/^PEER_UNREACHABLE/);
    await until('the source was closed', () => seen.open === 0 && seen.ended === 1);
    expect(seen.produced).toBeLessThan(ask.size);
    expect(await problemCode(reading())).toBe('PEER_REFUSED: NOT_ADMITTED');
    expect(seen.offsets).toEqual([0]);
  });

  it('are not fetched from a node that this one does not admit', async () => {
    const seen = watched();
    await using nodes = await pair({ onStart: serving(seen) });
    const { asking, asked, pool } = nodes;
    pool.admitted.delete(asked.nodeId);
    await asking.port.admissionChanged();
    const fetch = asking.port.fetchBytes(asked.nodeId, 'test', { size: 1, piece: 1 }, { maxBytes });
    expect(await problemCode(fetch)).toMatch(/^(?:NOT_ADMITTED|PEER_UNREACHABLE)/);
    expect(seen.offsets).toEqual([]);
  });

  it('end when the other side does not move', async () => {
    const seen = watched();
    const streams = { ...testLimits.streams, idleMs: elapses(300) };
    const never = new Promise<never>(() => undefined);
    let closed = 0;
    await using nodes = await pair({
      limits: { streams },
      onStart(port) {
        serving(seen)(port);
        const stuck: OutgoingBytes = {
          size: 1_000,
          hash: 'stuck',
          async *open(_offset, signal) {
            signal.addEventListener('abort', () => (closed += 1));
            yield patternAt(0, 10);
            yield await never;
          },
        };
        port.serveBytes('stuck', { answer: () => Promise.resolve(stuck) });
      },
    });
    const { asking, asked } = nodes;
    // The sender stands still: the asker gives up, and the sender is free although its source never answers.
    const reading = async (): Promise<void> => {
      await using bytes = await asking.port.fetchBytes(asked.nodeId, 'stuck', 1, { maxBytes });
      await whole(bytes);
    };
    expect(await problemCode(reading())).toMatch(/^PEER_UNREACHABLE/);
    await until('the sender is free', () => closed === 1);
    // The asker takes nothing: the sender gives up.
    const ask: Asked = { size: 50_000_000, piece: 10_000 };
    await using bytes = await asking.port.fetchBytes(asked.nodeId, 'test', ask, { maxBytes });
    await until('the sender has given up', () => seen.open === 0 && seen.ended === 1);
    expect(asked.switchboard.metrics.read('slow_peers_dropped')).toBe(1);
    expect(await problemCode(whole(bytes))).toMatch(/^PEER_UNREACHABLE/);
  });

  it('leave no faster than one peer may be sent, also when it asks for several', { tags: 'thorough' }, async () => {
    const seen = watched();
    const speed = { burst: 300_000, perSecond: 1 };
    await using nodes = await pair({
      onStart: serving(seen),
      limits: { streams: { ...testLimits.streams, speed, idleMs: elapses(1_000) } },
    });
    const { asking, asked } = nodes;
    const reading = async (): Promise<string> =>
      await problemCode(
        (async () => {
          const ask: Asked = { size: 10_000_000, piece: 50_000 };
          await using bytes = await asking.port.fetchBytes(asked.nodeId, 'test', ask, { maxBytes });
          await whole(bytes);
        })(),
      );
    const codes = await Promise.all([reading(), reading(), reading()]);
    for (const code of [...codes, await reading()]) expect(code).toMatch(/^PEER_UNREACHABLE/);
    await until('the sender has noticed', () => seen.open === 0);
    const sent = asked.switchboard.metrics.read('stream_bytes_sent');
    expect(sent).toBeGreaterThanOrEqual(speed.burst);
    // The piece with which the burst was over is sent as a whole.
    expect(sent).toBeLessThan(speed.burst + 2 * 50_000);
  });
});

describe('streams that somebody waits for', () => {
  const piece = 50_000;

  /** Streams of one piece, of which all wait for their turn; the order in which they came. undefined: they did not all wait. */
  async function orderOf(waitMs: number): Promise<string | undefined> {
    let pulled = 0;
    // The first stream leaves, and then nothing does for the time that its bytes take.
    const speed = { burst: 1, perSecond: (piece / waitMs) * 1_000 };
    await using nodes = await pair({
      limits: { streams: { ...testLimits.streams, speed } },
      onStart: (port) =>
        port.serveBytes('test', {
          answer: () =>
            Promise.resolve({
              size: piece,
              hash: 'h',
              async *open() {
                pulled += 1;
                yield patternAt(0, piece);
              },
            }),
        }),
    });
    const { asking, asked } = nodes;
    const order: string[] = [];
    const fetch = async (name: string, priority: 'bulk' | 'interactive'): Promise<void> => {
      await using bytes = await asking.port.fetchBytes(asked.nodeId, 'test', 1, { maxBytes, priority });
      expect((await whole(bytes)).equals(patternAt(0, piece))).toBe(true);
      order.push(name);
    };
    const sent = (): number => asked.switchboard.metrics.read('stream_bytes_sent');
    await fetch('first', 'bulk');
    const all = [fetch('bulk', 'bulk'), fetch('bulk', 'bulk'), fetch('bulk', 'bulk')];
    await until('they wait', () => pulled === 4);
    all.push(fetch('waited for', 'interactive'), fetch('waited for', 'interactive'));
    await until('these wait as well', () => pulled === 6);
    await new Promise((resolve) => setImmediate(resolve));
    const waited = sent() === piece;
    await Promise.all(all);
    return waited ? order.join(', ') : undefined;
  }

  it('come before those that began earlier', async () => {
    let order: string | undefined;
    // A busy machine may take longer to ask than the first piece takes to leave; then there is nothing to see, and the time is longer.
    for (let waitMs = 500; order === undefined && waitMs <= 8_000; waitMs *= 2) order = await orderOf(waitMs);
    expect(order).toBe('first, waited for, waited for, bulk, bulk, bulk');
  });
});
