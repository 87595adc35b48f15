import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/service/actor.ts';
import { transaction } from '../../../src/service/context.ts';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import {
  block,
  forgetEndedMutes,
  hiddenFrom,
  mute,
  unblock,
  unmute,
  whoBlocked,
  whomBlocks,
  whomMutes,
} from '../../../src/shared/members/blocks.ts';
import { purgeExpired } from '../../../src/services/accounts/purge.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

async function actorIn(house: House): Promise<Actor> {
  const { token } = await house.register();
  return await authenticate(house.ctx, token, { address: 'test', userAgent: 'test' }, { local: false });
}

const inTransaction = async <T>(house: House, body: Parameters<typeof transaction<T>>[1]) =>
  await transaction(house.ctx, body);

describe.each(engines)('blocks and mutes on %s', (engine) => {
  it('are found from either side, among those who were asked for', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [alice, bob, carol, dave] = [
      await actorIn(house),
      await actorIn(house),
      await actorIn(house),
      await actorIn(house),
    ];
    expect(await inTransaction(house, (tx) => block(tx, alice, bob.memberId))).toBe(true);
    expect(await inTransaction(house, (tx) => block(tx, alice, bob.memberId))).toBe(false);
    expect(await inTransaction(house, (tx) => block(tx, carol, alice.memberId))).toBe(true);
    await inTransaction(house, (tx) => mute(tx, alice, dave.memberId));
    const all = [alice, bob, carol, dave].map(({ memberId }) => memberId);

    expect(await whomBlocks(ctx, alice.memberId, all)).toEqual(new Set([bob.memberId]));
    expect(await whoBlocked(ctx, alice.memberId, all)).toEqual(new Set([carol.memberId]));
    expect(await whoBlocked(ctx, alice.memberId, [bob.memberId, dave.memberId])).toEqual(new Set());
    expect(await whoBlocked(ctx, bob.memberId, all)).toEqual(new Set([alice.memberId]));
    expect(await whomMutes(ctx, alice.memberId, all)).toEqual(new Set([dave.memberId]));
    expect(await whomMutes(ctx, dave.memberId, all)).toEqual(new Set());
    expect(await whoBlocked(ctx, alice.memberId, [])).toEqual(new Set());

    expect(await hiddenFrom(ctx, alice.memberId, all, 'nothing')).toEqual(new Set());
    expect(await hiddenFrom(ctx, alice.memberId, all, 'blocks')).toEqual(new Set([bob.memberId, carol.memberId]));
    expect(await hiddenFrom(ctx, alice.memberId, all, 'blocks and mutes')).toEqual(
      new Set([bob.memberId, carol.memberId, dave.memberId]),
    );
    expect(await hiddenFrom(ctx, bob.memberId, all, 'blocks')).toEqual(new Set([alice.memberId]));
    expect(await hiddenFrom(ctx, dave.memberId, all, 'blocks and mutes')).toEqual(new Set());

    expect(await inTransaction(house, (tx) => unblock(tx, alice, carol.memberId))).toBe(false);
    expect(await inTransaction(house, (tx) => unblock(tx, alice, bob.memberId))).toBe(true);
    expect(await inTransaction(house, (tx) => unmute(tx, alice, dave.memberId))).toBe(true);
    expect(await inTransaction(house, (tx) => unmute(tx, alice, dave.memberId))).toBe(false);
    expect(await hiddenFrom(ctx, alice.memberId, all, 'blocks and mutes')).toEqual(new Set([carol.memberId]));
  });

  it('are of others alone, and of those who are there', async () => {
    await using house = await openHouse(engine);
    const alice = await actorIn(house);
    for (const act of [block, mute]) {
      await expect(inTransaction<unknown>(house, (tx) => act(tx, alice, alice.memberId))).rejects.toMatchObject({
        kind: 'invalid',
        code: 'VALIDATION_ERROR',
        fields: [{ path: 'id', message: 'must not be yourself' }],
      });
      await expect(inTransaction<unknown>(house, (tx) => act(tx, alice, 'ab'.repeat(12)))).rejects.toMatchObject({
        kind: 'missing',
        code: 'MEMBER_NOT_FOUND',
      });
    }
  });

  it('end: a mute in its time, and both with the member', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [alice, bob, carol] = [await actorIn(house), await actorIn(house), await actorIn(house)];
    const others = [bob.memberId, carol.memberId];
    await inTransaction(house, async (tx) => {
      await mute(tx, alice, bob.memberId, tx.clock.now() + 1_000);
      await mute(tx, alice, carol.memberId, tx.clock.now() + 1_000);
      await mute(tx, alice, carol.memberId);
      await block(tx, bob, alice.memberId);
      await block(tx, alice, carol.memberId);
    });
    house.clock.advance(999);
    expect(await whomMutes(ctx, alice.memberId, others)).toEqual(new Set(others));
    house.clock.advance(1);
    expect(await whomMutes(ctx, alice.memberId, others)).toEqual(new Set([carol.memberId]));
    expect(await inTransaction(house, (tx) => unmute(tx, alice, bob.memberId))).toBe(false);

    await inTransaction(house, (tx) => mute(tx, alice, bob.memberId, tx.clock.now() - 1));
    await purgeExpired(ctx);
    const mutes = await ctx.db.selectFrom('member_mutes').select('muted_id').execute();
    expect(mutes).toEqual([{ muted_id: carol.memberId }]);
    expect(await inTransaction(house, (tx) => forgetEndedMutes(tx, tx.clock.now(), 10))).toBe(0);

    await ctx.store.transaction(async (db) => {
      await db.deleteFrom('members').where('id', '=', alice.memberId).execute();
    });
    expect(await ctx.db.selectFrom('member_blocks').selectAll().execute()).toEqual([]);
    expect(await ctx.db.selectFrom('member_mutes').selectAll().execute()).toEqual([]);
  });
});
