import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dropBlocks } from '../../../src/shared/attachments/blocks.ts';
import {
  fetchBlock,
  fetchBlocks,
  keepFetched,
  serveBlocks,
  type BlockToFetch,
  type PeerBlockRule,
} from '../../../src/shared/attachments/peer-blocks.ts';
import { transaction, type Context } from '../../../src/service/context.ts';
import type { GossipPort } from '../../../src/service/ports/network.ts';
import type { Problem } from '../../../src/base/problem.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { gossipNodes, until, untilConnected, type GossipNode } from '../../support/gossip-nodes.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { problemCode } from '../../support/problem-code.ts';

const maxBytes = 100_000_000;

interface Pair extends AsyncDisposable {
  readonly asking: House;
  readonly asked: House;
  readonly ctx: Context;
  readonly nodes: readonly GossipNode[];
  /** the node that is asked */
  readonly nodeId: string;
  /** what it may be asked for */
  readonly allowed: Set<string>;
  fetch(blockId: string, more?: Partial<BlockToFetch>): Promise<unknown>;
}

/** Two nodes with stores of their own, of which one fetches blocks from the other. */
async function openPair(engine: EngineName, rules?: readonly PeerBlockRule[]): Promise<Pair> {
  const houses = [await openHouse(engine), await openHouse(engine)] as const;
  const [asking, asked] = houses;
  const allowed = new Set<string>();
  const own: PeerBlockRule = (blockId) => Promise.resolve(allowed.has(blockId));
  let turn = 0;
  const onStart = (port: GossipPort): void => {
    const house = houses[turn] as House;
    turn += 1;
    serveBlocks({ ...house.ctx, gossip: port }, rules ?? [own]);
  };
  const pool = await gossipNodes(2, { onStart, limits: { reconcileMs: 600_000, answerMs: 60_000 } });
  await untilConnected(pool.nodes);
  const [one, other] = pool.nodes as [GossipNode, GossipNode];
  const ctx = { ...asking.ctx, gossip: one.port };
  return {
    asking,
    asked,
    ctx,
    nodes: pool.nodes,
    nodeId: other.nodeId,
    allowed,
    fetch: async (blockId, more) => await fetchBlock(ctx, { nodeId: other.nodeId, blockId, maxBytes, ...more }),
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      for (const house of houses) await house[Symbol.asyncDispose]();
    },
  };
}

function idOf(content: Uint8Array): string {
  return createHash('sha3-512').update(content).digest('hex');
}

async function jobsOf({ ctx }: House): Promise<string[]> {
  return (await ctx.db.selectFrom('jobs').select('id').execute()).map(({ id }) => id);
}

function temporary({ ctx }: House): string {
  return join(ctx.config.dataDir, 'blocks', 'tmp');
}

describe.each(engines)('blocks of other nodes on %s', (engine) => {
  it('are fetched, and kept with the row that refers to them', async () => {
    await using pair = await openPair(engine);
    const content = randomBytes(1_500_000);
    const { id } = await pair.asked.ctx.blocks.put(content);
    pair.allowed.add(id);
    expect(await pair.fetch(id)).toEqual({ id, size: content.length, referred: false });
    expect(Buffer.from(await pair.asking.ctx.blocks.get(id)).equals(content)).toBe(true);
    expect(await readdir(temporary(pair.asking))).toEqual([]);
    // Nobody refers to it yet: a job would drop it, until a transaction keeps it.
    expect(await jobsOf(pair.asking)).toEqual([`drop-block/${id}`]);
    // It is here; it isn't fetched again, and gets its time anew.
    pair.allowed.clear();
    const again = (await pair.fetch(id)) as { id: string; size: number; referred: boolean };
    expect(again).toEqual({ id, size: content.length, referred: false });
    await transaction(pair.ctx, async (tx) => await keepFetched(tx, again));
    expect(await jobsOf(pair.asking)).toEqual([]);
    await transaction(pair.ctx, async (tx) => await dropBlocks(tx, [id]));
    expect(await pair.asking.ctx.blocks.head(id)).toBeUndefined();
    expect(await problemCode(transaction(pair.ctx, async (tx) => await keepFetched(tx, again)))).toBe('OVERLOADED');
  });

  it('stay where they are unless a service says who may have them, and nobody learns whether they exist', async () => {
    await using pair = await openPair(engine, []);
    const { id } = await pair.asked.ctx.blocks.put(randomBytes(100));
    const refusals = await Promise.allSettled(
      [id, idOf(randomBytes(9)), 'x', '../../../secret'].map(
        async (blockId) => await pair.ctx.gossip.fetchBytes(pair.nodeId, 'blocks', { blockId }, { maxBytes }),
      ),
    );
    const words = refusals.map((one) => one.status === 'rejected' && (one.reason as Problem).message);
    expect(new Set(words).size).toBe(1);
    expect(await problemCode(pair.fetch(id))).toBe('PEER_REFUSED: BLOCK_NOT_FOUND');
    for (const question of [null, 1, {}, { blockId: 1 }, { blockId: [id] }])
      expect(await problemCode(pair.ctx.gossip.fetchBytes(pair.nodeId, 'blocks', question, { maxBytes }))).toBe(
        'PEER_REFUSED: BLOCK_NOT_FOUND',
      );
    expect(await pair.asking.ctx.blocks.stat()).toEqual({ blocks: 0, bytes: 0 });
  });

  it('go on from where they were after the connection was lost', { tags: 'thorough' }, async () => {
    await using pair = await openPair(engine);
    const content = randomBytes(8_000_000);
    const { id } = await pair.asked.ctx.blocks.put(content);
    pair.allowed.add(id);
    const { blocks } = pair.asking.ctx;
    const [one, other] = pair.nodes as [GossipNode, GossipNode];
    let cut = false;
    const cutting: Context = {
      ...pair.ctx,
      blocks: {
        ...blocks,
        async receive(blockId) {
          const incoming = await blocks.receive(blockId);
          const append = incoming.append.bind(incoming);
          incoming.append = async (bytes) => {
            await append(bytes);
            if (!cut && incoming.size > 1_000_000) {
              cut = true;
              await other.stop();
            }
          };
          return incoming;
        },
      },
    };
    expect(await problemCode(fetchBlock(cutting, { nodeId: pair.nodeId, blockId: id, maxBytes }))).toMatch(
      /^PEER_UNREACHABLE/,
    );
    expect(await readdir(temporary(pair.asking))).toEqual([`${id}.part`]);
    expect(await blocks.head(id)).toBeUndefined();
    await other.start();
    await untilConnected([one, other]);
    const before = one.switchboard.metrics.read('stream_bytes_fetched');
    await pair.fetch(id);
    expect(one.switchboard.metrics.read('stream_bytes_fetched') - before).toBeLessThan(content.length - 1_000_000);
    expect(await blocks.verify(id)).toBe(true);
  });

  it('with another content than their hash says are thrown away, and the node is named', async () => {
    await using pair = await openPair(engine);
    const content = randomBytes(300_000);
    const { id } = await pair.asked.ctx.blocks.put(content);
    pair.allowed.add(id);
    const path = join(pair.asked.ctx.config.dataDir, 'blocks', id.slice(0, 2), id.slice(2, 4), id);
    await writeFile(path, randomBytes(300_000));
    await expect(pair.fetch(id)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'STREAM_DIFFERS',
      message: expect.stringContaining(pair.nodeId) as string,
    });
    expect(await readdir(temporary(pair.asking))).toEqual([]);
    expect(await jobsOf(pair.asking)).toEqual([]);
    expect(await pair.asking.ctx.blocks.head(id)).toBeUndefined();
    // A wrong beginning is nobody's fault: all is fetched once more.
    await writeFile(path, content);
    for (const beginning of [randomBytes(1_000), randomBytes(300_000), randomBytes(400_000)]) {
      await writeFile(join(temporary(pair.asking), `${id}.part`), beginning);
      await pair.fetch(id);
      expect(await pair.asking.ctx.blocks.verify(id)).toBe(true);
      await pair.asking.ctx.blocks.delete(id);
    }
    expect(await problemCode(pair.fetch(id, { maxBytes: 299_999 }))).toBe('STREAM_TOO_LARGE');
    expect(await problemCode(pair.fetch('nonsense'))).toBe('BLOCK_NOT_FOUND');
  });

  it('come in order, and one that two want comes once', async () => {
    await using pair = await openPair(engine);
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      const { id } = await pair.asked.ctx.blocks.put(randomBytes(200_000 + at));
      ids.push(id);
      pair.allowed.add(id);
    }
    const wanted = { nodeId: pair.nodeId, maxBytes };
    const all = async (): Promise<string[]> => {
      const came: string[] = [];
      for await (const { id } of fetchBlocks(pair.ctx, ids, wanted)) came.push(id);
      return came;
    };
    expect(await Promise.all([all(), all()])).toEqual([ids, ids]);
    const [one] = pair.nodes as [GossipNode];
    expect(one.switchboard.metrics.read('streams_fetched')).toBe(5);
    expect(await pair.asking.ctx.blocks.stat()).toEqual({ blocks: 5, bytes: 1_000_010 });
    await until('nothing is sent any more', () => one.switchboard.metrics.read('streams_broken') === 0);
  });
});
