import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ledger } from '../../../../src/contract/ledger.ts';
import { countEvidence } from '../../../../src/platform/ledger/witness/evidence.ts';
import { countNotices, noticesOf } from '../../../../src/platform/ledger/witness/notices.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import type { Peer } from '../../../../src/service/ports/network.ts';
import { eventually } from '../../../support/eventually.ts';
import { inStage, soak } from '../../../support/stage.ts';
import { bothEngines, engines } from '../../../support/stores.ts';
import { grow } from './logs.ts';
import { openScene, type WitnessNode, type WitnessScene } from './witness-scene.ts';

const kinds = async ({ ctx }: WitnessNode) =>
  (await ctx.db.selectFrom('ledger_evidence').select('kind').execute()).map(({ kind }) => kind);

const peerOf = ({ ctx, nodeId }: WitnessNode): Peer => ({
  nodeId,
  publicKey: toHex(ctx.keys.identity.publicKey),
  admitted: true,
  addresses: [],
});

/** How many nodes cosigned the ledger of this size. */
const cosignatures = async ({ ctx }: WitnessNode, size: number) =>
  (await ctx.db.selectFrom('ledger_cosignatures').select('witness').where('size', '=', size).execute()).length;

/** Rounds until everybody has cosigned this; only then was everything heard that was told before. */
async function cosigned(scene: WitnessScene, node: WitnessNode, size: number, by: number): Promise<void> {
  await inRounds(scene, async () => expect(await cosignatures(node, size)).toBe(by));
}

/** Rounds, with time between them for what nobody waits for. */
async function inRounds({ network }: WitnessScene, holds: () => Promise<void>): Promise<void> {
  let looks = 0;
  await eventually(async () => {
    if (looks % 10 === 0) network.round();
    looks += 1;
    await network.settled();
    await holds();
  });
}

describe.each(engines)('nodes that witness each other on %s', (engine) => {
  it('cosign what each of them has, when they connect and in every round', async () => {
    await using scene = openScene(engine);
    const nodes = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    for (const [at, { house }] of nodes.entries()) await grow(house, at + 2);
    for (const [at, node] of nodes.entries()) await cosigned(scene, node, at + 3, 2);
    const [a] = nodes as [WitnessNode];
    await grow(a.house, 5);
    await cosigned(scene, a, 8, 2);
    for (const node of nodes) {
      expect(await node.stops()).toEqual([]);
      expect(await kinds(node)).toEqual([]);
      expect(node.errors()).toEqual([]);
    }
  });

  it('tell a node that it went back to an older store, and notice it themselves', async () => {
    await using scene = openScene(engine);
    const secret = randomBytes(32);
    const [a, witness] = [await scene.open('a', { secret }), await scene.open('b')];
    await grow(a.house, 9);
    await grow(witness.house, 1);
    await cosigned(scene, a, 10, 1);
    a.stop();
    const older = await scene.open('older', { secret, started: false });
    await grow(older.house, 4);
    await older.start();
    await eventually(async () => expect(await older.stops()).toEqual(['rolled-back']));
    expect((await older.house.api('GET', '/ledger/checkpoint')).body.error).toBe('NODE_STOPPED');
    await inRounds(scene, async () => expect(witness.errors()).toContainEqual(expect.stringContaining('older ledger')));
    await grow(older.house, 20);
    scene.network.round();
    await scene.network.settled();
    expect(await older.stops()).toEqual(['rolled-back']);
    expect(await witness.stops()).toEqual([]);
    expect(await cosignatures(older, 25)).toBe(0);
    const notices = async () => (await noticesOf(witness.ctx)).map(({ nodeId, kind }) => [nodeId, kind]);
    expect(await notices()).toEqual([[a.nodeId, 'older']]);
    const told = JSON.stringify(await older.part.tell(peerOf(witness)));
    // The operator recovers it: others are told, and witness the new log.
    const operator = [await older.house.operatorToken(), { trusted: true }] as const;
    const { recovers } = (await older.house.perform(ledger.recovery, {}, ...operator)).body;
    expect((await older.house.perform(ledger.recover, { size: recovers.size }, ...operator)).status).toBe(200);
    const { size } = (await older.house.api('GET', '/ledger')).body;
    await cosigned(scene, older, size, 1);
    await inRounds(scene, async () => expect(await notices()).toEqual([[a.nodeId, 'recovered']]));
    // What it told before that comes once more.
    await witness.part.hear(JSON.parse(told), peerOf(older));
    await scene.network.settled();
    expect(await notices()).toEqual([[a.nodeId, 'recovered']]);
    expect(await countNotices(witness.ctx)).toBe(0);
    expect(await kinds(witness)).toEqual([]);
  });

  it('tell a node that it goes on with another history', async () => {
    await using scene = openScene(engine);
    const secret = randomBytes(32);
    const [a] = [await scene.open('a', { secret }), await scene.open('b')];
    await grow(a.house, 9);
    await cosigned(scene, a, 10, 1);
    a.stop();
    const other = await scene.open('other', { secret, started: false });
    await grow(other.house, 20, 'other');
    await other.start();
    await eventually(async () => expect(await other.stops()).toEqual(['rewritten']));
  });

  it('name two processes with one key to both of them', async () => {
    await using scene = openScene(engine);
    const secret = randomBytes(32);
    const witness = await scene.open('witness');
    const a = await scene.open('a', { secret });
    await scene.network.settled();
    const clone = await scene.open('clone', { secret, started: false });
    scene.network.cut('a', 'clone');
    await clone.start();
    await inRounds(scene, async () => {
      expect([await a.stops(), await clone.stops()]).toEqual([['cloned'], ['cloned']]);
    });
    await inRounds(scene, async () => {
      expect(witness.errors()).toContainEqual(expect.stringContaining('runs as two processes'));
      expect(await noticesOf(witness.ctx)).toMatchObject([{ nodeId: a.nodeId, kind: 'copied' }]);
    });
    expect(await countNotices(witness.ctx)).toBe(1);
    expect(await witness.stops()).toEqual([]);
  });

  it('notice a copy of their own that connects to them', { tags: soak }, async () => {
    await using scene = openScene(engine);
    const secret = randomBytes(32);
    const both = [await scene.open('a', { secret }), await scene.open('clone', { secret })];
    await eventually(async () => {
      for (const node of both) expect(await node.stops()).toEqual(['cloned']);
    });
  });

  it('see nothing wrong in what was told before more was signed, and heard after it', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await grow(a.house, 2);
    await cosigned(scene, a, 3, 1);
    const told = JSON.stringify(await a.part.tell(peerOf(b)));
    await grow(a.house, 1);
    await cosigned(scene, a, 4, 1);
    // However often it comes, and what was told after it came before it.
    for (let size = 5; size < 8; size += 1) {
      await b.part.hear(JSON.parse(told), peerOf(a));
      await scene.network.settled();
      await grow(a.house, 1);
      await cosigned(scene, a, size, 1);
    }
    await scene.network.settled();
    expect(await noticesOf(b.ctx)).toEqual([]);
    expect(b.errors()).toEqual([]);
  });

  it('see nothing wrong in restarts', async () => {
    await using scene = openScene(engine);
    const nodes = [await scene.open('a'), await scene.open('b'), await scene.open('c')] as const;
    const [a, b] = nodes;
    const last = inStage(6, 6, 8);
    for (let size = 2; size < last; size += 1) {
      await grow(a.house, 1);
      await cosigned(scene, a, size, 2);
      await (size % 2 === 0 ? a : b).restart();
    }
    await grow(a.house, 1);
    await cosigned(scene, a, last, 2);
    for (const node of nodes) {
      expect(await node.stops()).toEqual([]);
      expect(node.errors()).toEqual([]);
    }
  });

  it('meet two ledgers of one node that were shown to two of them', async () => {
    await using scene = openScene(engine);
    const secret = randomBytes(32);
    const a = await scene.open('a', { secret, started: false });
    const clone = await scene.open('clone', { secret, started: false });
    const [left, right] = [await scene.open('left'), await scene.open('right')];
    scene.network.cut('a', 'clone');
    scene.network.cut('a', 'right');
    scene.network.cut('clone', 'left');
    await grow(a.house, 4, 'one');
    await grow(clone.house, 4, 'other');
    await a.start();
    await clone.start();
    await inRounds(scene, async () => {
      expect([await kinds(left), await kinds(right)]).toEqual([['same-size'], ['same-size']]);
    });
    expect((await countEvidence(left.ctx)).nodes).toEqual(new Map([[a.nodeId, 1]]));
  });
});

describe.each(bothEngines.filter((engine) => engine === 'postgres'))(
  'processes that share one store on %s',
  (engine) => {
    it('are copies when they only share where they come from', async () => {
      await using scene = openScene(engine);
      const secret = randomBytes(32);
      const witness = await scene.open('witness');
      const a = await scene.open('a', { secret });
      await scene.network.settled();
      const rows = await a.ctx.db.selectFrom('node_instances').selectAll().execute();
      expect(rows).toHaveLength(1);
      // The database was copied while the node ran.
      const clone = await scene.open('clone', { secret, started: false });
      await clone.ctx.db.insertInto('node_instances').values(rows).execute();
      scene.network.cut('a', 'clone');
      await clone.start();
      await inRounds(scene, async () => {
        for (const { house } of [a, clone, witness]) house.clock.advance(1_000);
        expect([await a.stops(), await clone.stops()]).toEqual([['cloned'], ['cloned']]);
      });
      expect(await witness.stops()).toEqual([]);
    });

    it('are no copies of each other', async () => {
      await using scene = openScene(engine);
      const [one, witness] = [await scene.open('one'), await scene.open('witness')];
      const other = await scene.beside('other', one);
      for (let size = 2; size < 6; size += 1) {
        await grow(one.house, 1);
        await cosigned(scene, one, size, 1);
        one.house.clock.advance(30_000);
        witness.house.clock.advance(30_000);
      }
      for (const node of [one, other, witness]) {
        expect(await node.stops()).toEqual([]);
        expect(node.errors()).toEqual([]);
      }
    });
  },
);
