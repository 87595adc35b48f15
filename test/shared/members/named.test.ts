import { describe, expect, it } from 'vitest';
import { membersNamed } from '../../../src/shared/members/named.ts';
import { publicKeysOf } from '../../../src/shared/members/public-keys.ts';
import { isActive, memberSummaries } from '../../../src/shared/members/summaries.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

async function suspend({ ctx }: House, id: string): Promise<void> {
  await ctx.db.updateTable('members').set({ status: 'suspended' }).where('id', '=', id).execute();
}

describe.each(engines)('members on %s', (engine) => {
  it('are found by id, username or verified e-mail address, in one statement and in any case', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register({ username: 'Alice' }), await house.register({ username: 'bob' })];
    expect(await membersNamed(house.ctx, [alice.email])).toEqual([undefined]);
    expect((await membersNamed(house.ctx, [alice.email], 'claimed'))[0]?.id).toBe(alice.memberId);
    await house.ctx.db
      .updateTable('members')
      .set((e) => ({ verified_email_key: e.ref('email_key') }))
      .where('id', '=', alice.memberId)
      .execute();
    await suspend(house, bob.memberId);
    const names = ['ALICE@example.org', 'Bob', alice.memberId.toUpperCase(), 'nobody', 'ali', 'alice'];
    const { result: found, statements } = await ownStatements(async () => await membersNamed(house.ctx, names));
    expect(statements).toHaveLength(1);
    expect(found.map((member) => member?.username)).toEqual(['Alice', 'bob', 'Alice', undefined, undefined, 'Alice']);
    expect(found.map((member) => member?.active)).toEqual([true, false, true, undefined, undefined, true]);
    expect(await membersNamed(house.ctx, [])).toEqual([]);
  });

  it('are not taken for another by a username that looks like an id', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const impostor = await house.register({ username: alice.memberId });
    const nobody = 'cd'.repeat(12);
    await house.register({ username: nobody });
    const found = await membersNamed(house.ctx, [alice.memberId, nobody, impostor.memberId]);
    expect(found.map((member) => member?.id)).toEqual([alice.memberId, undefined, impostor.memberId]);
  });

  it('are summed up by their ids, in one statement, without those who are gone', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    await suspend(house, bob.memberId);
    const ids = [bob.memberId, alice.memberId, bob.memberId, 'ab'.repeat(12)];
    const { result: found, statements } = await ownStatements(async () => await memberSummaries(house.ctx, ids));
    expect(statements).toHaveLength(1);
    const nobody = await ownStatements(async () => await memberSummaries(house.ctx, []));
    expect(nobody).toEqual({ result: new Map(), statements: [], rows: 0 });
    expect(found).toEqual(
      new Map([
        [alice.memberId, { id: alice.memberId, username: alice.username, active: true }],
        [bob.memberId, { id: bob.memberId, username: bob.username, active: false }],
      ]),
    );
    const active = await Promise.all(
      [alice.memberId, bob.memberId, 'ab'.repeat(12)].map((id) => isActive(house.ctx, id)),
    );
    expect(active).toEqual([true, false, false]);
  });

  it('give their public keys, and none that is not theirs', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const ids = [alice.memberId, bob.memberId].toSorted();
    const keys = await publicKeysOf(house.ctx, [...ids].reverse());
    expect(keys.map(({ memberId }) => memberId)).toEqual(ids);
    expect(keys.map(({ publicKey }) => memberIdOf(publicKey))).toEqual(ids);
    const { db } = house.ctx;
    const theirs = await db
      .selectFrom('members')
      .select('public_key')
      .where('id', '=', bob.memberId)
      .executeTakeFirstOrThrow();
    await db.updateTable('members').set({ public_key: '' }).where('id', '=', bob.memberId).execute();
    await db.updateTable('members').set(theirs).where('id', '=', alice.memberId).execute();
    await expect(publicKeysOf(house.ctx, [alice.memberId])).rejects.toMatchObject({
      kind: 'internal',
      code: 'STORE_DAMAGED',
    });
  });
});
