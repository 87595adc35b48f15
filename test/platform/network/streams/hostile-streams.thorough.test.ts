import type { Connection, Stream } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { describe, expect, it } from 'vitest';
import { concat, uint32 } from '../../../../src/crypto/bytes.ts';
import { frameOf, readFrame } from '../../../../src/platform/network/frames.ts';
import type { GossipPort } from '../../../../src/service/ports/network.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { memoryKept } from '../../../support/memory-kept.ts';
import {
  gossipNode,
  testLimits,
  testPool,
  until,
  type GossipNode,
  type TestPool,
} from '../../../support/gossip-nodes.ts';
import { stranger, type Stranger } from '../../../support/gossip-stranger.ts';
import { elapses, slowly, staysSo } from '../../../support/real-time.ts';

const maxBytes = 1024 ** 3;
const PROTOCOL = '/conclave/bytes/test/1';

/** A node, and an admitted peer of which the test says what it sends. */
async function withPeer(options: { onStart?: (port: GossipPort) => void; idleMs?: number; perMs?: number } = {}) {
  const pool: TestPool = testPool();
  const { idleMs = 60_000, perMs = 120_000 } = options;
  const streams = { ...testLimits.streams, idleMs, progress: { bytes: 64 * 1024, perMs } };
  const limits = { streams, reconcileMs: 600_000, answerMs: 60_000 };
  const node = await gossipNode({ admission: pool, limits, ...(options.onStart && { onStart: options.onStart }) });
  const peer = await stranger();
  pool.admitted.add(peer.nodeId);
  return {
    node,
    peer,
    pool,
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

type Send = (stream: Awaited<ReturnType<Stranger['open']>>) => unknown;

/** Fetches from the peer, which sends `send` when it was asked. The bytes, or the code of what went wrong. */
async function fetchFrom({ node, peer }: { node: GossipNode; peer: Stranger }, send: Send): Promise<string | Buffer> {
  await peer.libp2p.unhandle(PROTOCOL);
  await peer.libp2p.handle(PROTOCOL, async (stream) => {
    await readFrame(stream, 100_000, 60_000);
    await send(stream);
  });
  await peer.dial(node);
  await until('it is connected', () => node.port.peers().some(({ admitted }) => admitted));
  try {
    await using bytes = await node.port.fetchBytes(peer.nodeId, 'test', 1, { maxBytes });
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code;
  }
}

function answer(size: unknown, hash: unknown = 'h'): Uint8Array {
  return frameOf({ answer: { size, hash } });
}

describe('a node that sends', () => {
  it('other than it announced is cut, and what ended early can go on', async () => {
    await using both = await withPeer();
    const bytes = new Uint8Array(1_000).fill(7);
    const close: Send = (stream) => void stream.close().catch(() => undefined);
    // The frame and the bytes may come in one piece.
    expect(
      await fetchFrom(both, (stream) => {
        stream.send(concat(answer(1_000), bytes));
        close(stream);
      }),
    ).toEqual(Buffer.from(bytes));
    const faults: [string, Send, string][] = [
      ['more, at once', (stream) => stream.send(concat(answer(999), bytes)), 'STREAM_DIFFERS'],
      [
        'more, later',
        async (stream) => {
          stream.send(concat(answer(1_000), bytes));
          await slowly(50);
          stream.send(bytes);
        },
        'STREAM_DIFFERS',
      ],
      [
        'less',
        (stream) => {
          stream.send(concat(answer(1_001), bytes));
          close(stream);
        },
        'PEER_UNREACHABLE',
      ],
      ['no number', (stream) => stream.send(answer('1000')), 'PEER_UNREACHABLE'],
      ['a negative number', (stream) => stream.send(answer(-1)), 'PEER_UNREACHABLE'],
      ['a fraction', (stream) => stream.send(answer(1.5)), 'PEER_UNREACHABLE'],
      ['a long hash', (stream) => stream.send(answer(1, 'x'.repeat(300))), 'PEER_UNREACHABLE'],
      ['garbage', (stream) => stream.send(concat(uint32(4), new Uint8Array(4))), 'PEER_UNREACHABLE'],
      ['a large frame', (stream) => stream.send(uint32(2 ** 31)), 'PEER_UNREACHABLE'],
      ['nothing', close, 'PEER_UNREACHABLE'],
      ['a problem of another kind', (stream) => stream.send(frameOf({ problem: null })), 'PEER_UNREACHABLE'],
    ];
    for (const [what, send, code] of faults) expect(await fetchFrom(both, send), what).toBe(code);
    expect(both.node.log.lines.filter(({ message }) => message.includes('more bytes')).length).toBe(2);
    // Places are free again.
    for (let turn = 0; turn < testLimits.streams.ofPeer * 2; turn += 1)
      expect(await fetchFrom(both, (stream) => stream.send(concat(answer(999), bytes)))).toBe('STREAM_DIFFERS');
  });

  it('beyond the window is cut, and tiny pieces take up about what they hold', { tags: 'thorough' }, async () => {
    await using both = await withPeer();
    const { windowBytes } = testLimits.streams;
    const flood = async (pieceBytes: number, bytes: number): Promise<string | Buffer> =>
      await fetchFrom(both, async (stream) => {
        stream.send(answer(maxBytes));
        // Yamux has a window of its own, and the node tells it of room at once.
        for (let sent = 0; sent < bytes && stream.status === 'open'; sent += pieceBytes) {
          stream.send(new Uint8Array(pieceBytes));
          if (sent % 65_536 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await stream.close().catch(() => undefined);
      });
    // All of it may come while the reader waits for its first piece, or be taken in between: so it is read by nobody.
    await both.peer.libp2p.unhandle(PROTOCOL);
    let stream: Awaited<ReturnType<Stranger['open']>> | undefined;
    await both.peer.libp2p.handle(PROTOCOL, async (one) => {
      await readFrame(one, 100_000, 60_000);
      one.send(answer(maxBytes));
      stream = one;
    });
    await both.peer.dial(both.node);
    await until('it is connected', () => both.node.port.peers().some(({ admitted }) => admitted));
    await using unread = await both.node.port.fetchBytes(both.peer.nodeId, 'test', 1, { maxBytes });
    const before = memoryKept();
    for (let sent = 0; sent < windowBytes; sent += 16) stream?.send(new Uint8Array(16));
    await until('all has left', () => stream?.writeBufferLength === 0);
    await staysSo(() => expect(stream?.status).toBe('open'), 200);
    expect(memoryKept() - before).toBeLessThan(16 * windowBytes);
    expect(stream?.status).toBe('open');
    stream?.send(new Uint8Array(1));
    await until('it was cut', () => stream?.status !== 'open');
    await expect(
      (async () => {
        for await (const piece of unread) throw new Error(`${piece.length} bytes came`);
      })(),
    ).rejects.toMatchObject({ code: 'STREAM_DIFFERS' });
    expect(await flood(1_000, 100_000)).toBe('PEER_UNREACHABLE');
  });

  it('a byte now and then is given up', async () => {
    await using both = await withPeer({ perMs: elapses(500) });
    const trickle: Send = async (stream) => {
      stream.send(answer(1_000_000));
      while (stream.status === 'open') {
        stream.send(new Uint8Array(1));
        await slowly(10);
      }
    };
    expect(await fetchFrom(both, trickle)).toBe('PEER_UNREACHABLE');
  });
});

async function askOver(connection: Connection): Promise<Stream> {
  const stream = await connection.newStream(PROTOCOL, { maxOutboundStreams: 100 });
  stream.send(frameOf({ question: 1, offset: 0, priority: 'bulk', window: 65_536 }));
  return stream;
}

/** The code of the refusal. */
async function outcomeOf(stream: Stream): Promise<string> {
  return await new Promise<string>((resolve) => {
    stream.addEventListener('message', ({ data }) => {
      const text = Buffer.from(data.subarray().subarray(4, 200)).toString('latin1');
      resolve(/"code":"(\w+)"/.exec(text)?.[1] ?? 'sent');
    });
  });
}

describe('a node that asks', () => {
  const source = (seen: { produced: number; open: number }) => (port: GossipPort) =>
    port.serveBytes('test', {
      answer: () =>
        Promise.resolve({
          size: 100_000_000,
          hash: 'h',
          async *open() {
            seen.open += 1;
            try {
              for (let at = 0; at < 1_000; at += 1) {
                seen.produced += 100_000;
                yield new Uint8Array(100_000);
              }
            } finally {
              seen.open -= 1;
            }
          },
        }),
    });

  it('nonsense, or before it is admitted, is told so', async () => {
    const seen = { produced: 0, open: 0 };
    await using both = await withPeer({ onStart: source(seen) });
    const { node, peer, pool } = both;
    const ask = async (bytes: Uint8Array): Promise<unknown> => {
      const stream = await peer.open(node, 'bytes/test');
      stream.send(bytes);
      const told = (await readFrame(stream, 10_000, 60_000)) as { problem?: { code: string } };
      stream.abort(new Error('enough'));
      return told.problem?.code;
    };
    const good = { question: 1, offset: 0, priority: 'bulk', window: 65_536 };
    const wrong = [
      { ...good, offset: -1 },
      { ...good, offset: 1.5 },
      { ...good, offset: '0' },
      { ...good, priority: 'urgent' },
      { ...good, window: 1 },
      { ...good, window: 2 ** 40 },
      null,
      [],
      'text',
    ];
    for (const value of wrong) expect(await ask(frameOf(value)), JSON.stringify(value)).toBe('QUESTION_MALFORMED');
    expect(await ask(uint32(2 ** 31))).toBe('QUESTION_TOO_LARGE');
    expect(await ask(frameOf({ ...good, offset: 100_000_001 }))).toBe('STREAM_OFFSET');
    expect(await ask(frameOf(good))).toBeUndefined();
    pool.admitted.delete(peer.nodeId);
    await node.port.admissionChanged();
    await until('its connection was closed', () => peer.libp2p.getConnections().length === 0);
    expect(await ask(frameOf(good))).toBe('NOT_ADMITTED');
    await until('all streams have ended', () => seen.open === 0);
  });

  it('for more streams than it may have is told so, and gets no more by not listening', async () => {
    const seen = { produced: 0, open: 0 };
    await using both = await withPeer({ onStart: source(seen) });
    const { node, peer } = both;
    const { ofPeer } = testLimits.streams;
    const connection = await peer.dial(node);
    const outcomes = await Promise.all(
      Array.from({ length: ofPeer + 5 }, async () => await outcomeOf(await askOver(connection))),
    );
    expect(outcomes.filter((one) => one === 'sent').length).toBe(ofPeer);
    expect(outcomes.filter((one) => one === 'STREAMS_BUSY').length).toBe(5);
    // Nobody said that there is room for more.
    await until('all stand still', () => seen.produced >= ofPeer * 100_000);
    expect(seen.produced).toBeLessThanOrEqual(ofPeer * 200_000);
    connection.abort(new Error('gone'));
    await until('all streams have ended', () => seen.open === 0);
  });

  it('over several connections has no more places than over one, and no more than a few connections', async () => {
    const seen = { produced: 0, open: 0 };
    await using both = await withPeer({ onStart: source(seen) });
    const { node, peer } = both;
    const { ofPeer } = testLimits.streams;
    const connect = async (): Promise<Connection> => await peer.libp2p.dial(multiaddr(node.address), { force: true });
    const connections = [await connect(), await connect()] as const;
    expect(new Set(connections.map(({ id }) => id)).size).toBe(2);
    const outcomes: string[] = [];
    for (let turn = 0; turn < ofPeer + 2; turn += 1)
      outcomes.push(await outcomeOf(await askOver(connections[turn % 2 === 0 ? 0 : 1])));
    expect(outcomes).toEqual([...Array.from({ length: ofPeer }, () => 'sent'), 'STREAMS_BUSY', 'STREAMS_BUSY']);
    const refused = (): number => node.switchboard.metrics.read('connections_refused');
    for (let turn = 0; turn < 20 && refused() === 0; turn += 1) await connect().catch(() => undefined);
    await until('a connection was refused', () => refused() > 0);
    await until('its connections were closed', () => connections.every(({ status }) => status !== 'open'));
    await until('all streams have ended', () => seen.open === 0);
  });

  it('and goes while its answer is looked up leaves nothing behind, and no error in the log', async () => {
    let asked = 0;
    let look: (() => void) | undefined;
    const looked = new Promise<void>((resolve) => (look = resolve));
    let opened = 0;
    await using both = await withPeer({
      onStart: (port) =>
        port.serveBytes('test', {
          async answer() {
            asked += 1;
            await looked;
            return {
              size: 10,
              hash: 'h',
              async *open() {
                opened += 1;
                yield new Uint8Array(10);
              },
            };
          },
        }),
    });
    const { node, peer } = both;
    const { ofPeer } = testLimits.streams;
    const connection = await peer.dial(node);
    for (let turn = 0; turn < ofPeer; turn += 1) {
      const stream = await askOver(connection);
      await until('it was asked', () => asked === turn + 1);
      stream.abort(new Error('gone'));
    }
    // What comes after the ends on the same connection shows that they have come. The places are taken as long as something is looked up.
    expect(await outcomeOf(await askOver(connection))).toBe('STREAMS_BUSY');
    look?.();
    await until('all have ended', () => node.switchboard.metrics.read('streams_broken') === ofPeer);
    expect(opened).toBe(0);
    expect(node.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    const stream = await askOver(connection);
    expect(await outcomeOf(stream)).toBe('sent');
    stream.abort(new Error('enough'));
  });
});
