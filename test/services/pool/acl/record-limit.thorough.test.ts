import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { integrateWaiting } from '../../../../src/platform/ledger/sequencer.ts';
import { verifyLedger } from '../../../../src/platform/ledger/verify-ledger.ts';
import { wireOf, type SignedList } from '../../../../src/crypto/formats/access-list/chain.ts';
import { receiveSides } from '../../../../src/services/pool/acl/receive.ts';
import { purgePool } from '../../../../src/services/pool/purge.ts';
import { engines } from '../../../support/stores.ts';
import { listAfter, listOf, openScene, type PoolHouse, type PoolScene } from '../pool-scene.ts';
import { inStage } from '../../../support/stage.ts';

const DAY = 86_400_000;

interface Entry {
  readonly type: string;
  readonly data: {
    readonly kept?: { readonly hash: string }[];
    readonly dropped?: unknown[];
    readonly day?: string;
    readonly counted?: unknown;
    readonly other?: string;
    readonly hash?: string;
  };
}

/** What the ledger says of the other lists. */
async function recorded({ house }: PoolHouse) {
  await integrateWaiting(house.ctx);
  const rows = await house.ctx.db.selectFrom('ledger_entries').select('body').orderBy('leaf_index').execute();
  const entries = rows.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Entry);
  const evidence = entries.filter(({ type }) => type === 'POOL_EVIDENCE').map(({ data }) => data);
  return {
    entries: evidence.length,
    kept: evidence.flatMap(({ kept = [] }) => kept.map(({ hash }) => hash)),
    dropped: evidence.flatMap(({ dropped = [] }) => dropped).length,
    counted: evidence.filter(({ counted }) => counted !== undefined),
    /** lists that became active */
    heads: entries.flatMap(({ type, data }) => (type === 'POOL_ACL' ? (data.hash ?? []) : [])),
    forks: entries.filter(({ type }) => type === 'POOL_FORK').map(({ data }) => data.other),
  };
}

const said = ({ house }: PoolHouse, text: string) =>
  house.log.lines.filter(({ message }) => String(message).includes(text)).length;

/** A node, and administrators elsewhere who sign other lists in place of one of this node, each with another time. */
async function contradicted(scene: PoolScene) {
  const a = await scene.open('a');
  const people = [generateKeyPair(), generateKeyPair()] as const;
  const addKeys = people.map(({ publicKey }) => toHex(publicKey));
  await a.house.perform(pool.updateAcl, { addKeys }, a.boss.token);
  const start = await listOf(a);
  const { poolId } = start.document;
  // It refuses most, so it counts whatever the hashes of the others are.
  await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
  let second = 0;
  const contradict = async (who: KeyPair, count: number, before = start): Promise<SignedList[]> => {
    const lists = Array.from({ length: count }, () =>
      listAfter(before, { issuedAt: new Date(Date.UTC(2025, 0, 1) + (second += 1) * 1_000).toISOString() }, who),
    );
    for (let at = 0; at < lists.length; at += 20)
      await receiveSides(a.house.ctx, poolId, lists.slice(at, at + 20).map(wireOf), a.nodeId);
    return lists;
  };
  return { a, people, contradict };
}

const conflict = 'access list conflict';
const onlyCounted = 'further cases of today are only counted';

describe.each(engines)('an administrator who signs list after list, on %s', (engine) => {
  it('fills neither the ledger nor the log, and the ledger says the next day how many there were', async () => {
    await using scene = openScene(engine);
    const { a, people, contradict } = await contradicted(scene);
    const [mallory, carol] = people;
    const number = inStage(220, 220, 300);
    const many = await contradict(mallory, number);
    const today = await recorded(a);
    expect(today.kept).toHaveLength(200);
    expect(today.counted).toEqual([]);
    expect(today.forks).toHaveLength(20);
    expect([said(a, conflict), said(a, onlyCounted)]).toEqual([20, 2]);
    expect(today.entries).toBeLessThan(250);

    // Others are recorded one by one all the same.
    const [fork] = await contradict(carol, 1);
    const since = await recorded(a);
    expect([since.forks.at(-1), since.kept.at(-1)]).toEqual([fork!.hash, fork!.hash]);

    await purgePool(a.house.ctx);
    expect(await recorded(a)).toEqual(since);
    scene.advance(DAY);
    await purgePool(a.house.ctx);
    await purgePool(a.house.ctx);
    const after = await recorded(a);
    expect(after.counted).toEqual([
      {
        poolId: (await listOf(a)).document.poolId,
        day: '2026-01-15',
        counted: { lists: number - 200, forks: number - 20 },
      },
    ]);
    // Each list that is kept is named by now, and what is missing is noticed.
    const stored = (await a.house.ctx.db.selectFrom('pool_evidence').select('hash').execute()).map(({ hash }) => hash);
    expect(stored).toHaveLength(200);
    expect(stored.filter((hash) => !after.kept.includes(hash))).toEqual([]);
    expect(await verifyLedger(a.house.ctx, { full: true })).toMatchObject({ ok: true, faults: [] });
    const missing = many.find(({ hash }) => stored.includes(hash) && !today.kept.includes(hash));
    await a.house.ctx.db.deleteFrom('pool_evidence').where('hash', '=', missing!.hash).execute();
    expect((await verifyLedger(a.house.ctx, { full: true })).faults).toMatchObject([
      { what: expect.stringContaining(missing!.hash) },
    ]);

    await contradict(mallory, 3);
    const next = await recorded(a);
    expect(next.forks).toHaveLength(since.forks.length + 3);
    expect(await a.house.ctx.db.selectFrom('pool_recorded').select('signers').execute()).toHaveLength(4);
  });

  it('gains nothing by making administrators who sign for them', { tags: 'thorough' }, async () => {
    await using scene = openScene(engine);
    const { a, people, contradict } = await contradicted(scene);
    // Before the last stage much of what may be recorded on a day is so already.
    const already = inStage(300, 300, 0);
    const { poolId } = (await listOf(a)).document;
    const day = Math.floor(a.house.clock.now() / DAY);
    const row = { pool_id: poolId, day, what: 'lists', signers: '', recorded: already, counted: 0 } as const;
    if (already > 0) await a.house.ctx.db.insertInto('pool_recorded').values(row).execute();
    const made = new Map<string, SignedList>();
    const note = (...lists: readonly SignedList[]) => {
      for (const one of lists) made.set(one.hash, one);
    };
    for (let left = inStage(6, 6, 21); left > 0; left -= 1) {
      const puppet = generateKeyPair();
      const [start] = await contradict(people[0], 1);
      const admins = [{ memberId: memberIdOf(puppet.publicKey), publicKey: toHex(puppet.publicKey) }];
      const own = listAfter(start!, { admins }, people[0]);
      await receiveSides(a.house.ctx, start!.document.poolId, [wireOf(own)], a.nodeId);
      note(start!, own, ...(await contradict(puppet, 21, own)));
    }
    const { kept, forks, heads } = await recorded(a);
    expect(forks.length).toBeLessThanOrEqual(100);
    // Lists that were active are recorded when they no longer are, whoever made those that count instead.
    const onceActive = new Set(heads);
    for (const head of heads)
      for (let one = made.get(head); one !== undefined; one = made.get(one.document.prev ?? ''))
        onceActive.add(one.hash);
    expect(kept.filter((hash) => !onceActive.has(hash)).length).toBeLessThanOrEqual(400 - already);
    const rows = await a.house.ctx.db.selectFrom('pool_recorded').selectAll().orderBy('what').execute();
    expect(rows.filter(({ signers }) => signers === '').map(({ what, recorded: one }) => [what, one])).toEqual([
      ['forks', forks.length],
      ['lists', 400],
    ]);
  });
});
