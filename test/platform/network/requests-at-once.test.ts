import type { Connection } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { expect, it } from 'vitest';
import { frameOf, readFrame } from '../../../src/platform/network/frames.ts';
import { protocolId } from '../../../src/platform/network/requests.ts';
import { gossipNode, testPool, until } from '../../support/gossip-nodes.ts';
import { stranger } from '../../support/gossip-stranger.ts';

it('a node has no more requests answered at once over several connections than over one', async () => {
  let asked = 0;
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => void (release = resolve));
  const pool = testPool();
  await using node = await gossipNode({
    admission: pool,
    limits: { reconcileMs: 600_000, answerMs: 60_000 },
    onStart: (port) =>
      port.respond('slow', {
        strangers: false,
        atOnce: 2,
        async answer() {
          asked += 1;
          await held;
          return 'answered';
        },
      }),
  });
  await using peer = await stranger();
  pool.admitted.add(peer.nodeId);
  const connect = async (): Promise<Connection> => await peer.libp2p.dial(multiaddr(node.address), { force: true });
  const connections = [await connect(), await connect()] as const;
  const ask = async (connection: Connection): Promise<unknown> => {
    const stream = await connection.newStream(protocolId('slow'));
    try {
      stream.send(frameOf(1));
      return await readFrame(stream, 10_000, 60_000);
    } finally {
      stream.abort(new Error('enough'));
    }
  };
  const first = ask(connections[0]);
  await until('the first is being answered', () => asked === 1);
  const second = ask(connections[1]);
  await until('the second is being answered', () => asked === 2);
  // They are refused before they are read, so the stream may end while the question is being sent.
  const limited = (): number => node.switchboard.metrics.read('requests_limited');
  for (const [at, connection] of connections.entries()) {
    const refused = await ask(connection).catch(() => undefined);
    if (refused !== undefined) expect(refused).toMatchObject({ problem: { code: 'RATE_LIMITED' } });
    await until('the question was refused', () => limited() === at + 1);
  }
  expect(asked).toBe(2);
  release?.();
  expect(await Promise.all([first, second])).toEqual([{ answer: 'answered' }, { answer: 'answered' }]);
  // A question counts until its answer has left, which the asker does not see.
  const again = async (): Promise<unknown> => await ask(connections[1]).catch(() => undefined);
  await until('another one is answered', async () => JSON.stringify(await again()) === '{"answer":"answered"}');
});
