import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/base/problem.ts';
import { eachStep, sweep } from '../../src/service/sweep.ts';
import { openHouse, type House } from '../support/house.ts';
import { poisonRow } from '../support/poison-row.ts';
import { engines } from '../support/stores.ts';

const left = async ({ ctx }: House) =>
  (await ctx.db.selectFrom('used_direct_login_tokens').select('nonce').orderBy('nonce').execute()).map(
    (row) => row.nonce,
  );

async function fill({ ctx }: House, names: readonly string[]): Promise<void> {
  await ctx.db
    .insertInto('used_direct_login_tokens')
    .values(names.map((nonce) => ({ nonce, expires_at: 0 })))
    .execute();
}

/** Removes all rows, three in each transaction. @returns how many each looked at */
async function removeAll({ ctx }: House, failing?: Error): Promise<number[]> {
  const sizes: number[] = [];
  await sweep(ctx, {
    what: 'removing a row',
    most: 3,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('used_direct_login_tokens')
        .select('nonce')
        .where('nonce', 'not in', without)
        .orderBy('nonce')
        .limit(most)
        .execute();
      found(rows.map(({ nonce }) => nonce));
      sizes.push(rows.length);
      if (failing !== undefined) throw failing;
      for (const { nonce } of rows)
        await tx.db.deleteFrom('used_direct_login_tokens').where('nonce', '=', nonce).execute();
    },
  });
  return sizes;
}

describe.each(engines)('a sweep on %s', (engine) => {
  it('leaves out what fails alone, wherever it stands, and fails at its end', async () => {
    await using house = await openHouse(engine);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await fill(house, names);
    expect(await removeAll(house)).toEqual([3, 3, 2]);
    await fill(house, names);
    const bad = ['a', 'e', 'h'];
    const { store } = house.ctx;
    await poisonRow(store, 'used_direct_login_tokens', 'delete', "old.nonce in ('a', 'e', 'h')");
    await expect(removeAll(house)).rejects.toThrow('poisoned by a test');
    expect(await left(house)).toEqual(bad);
    const told = house.log.lines.filter(({ message }) => message === 'removing a row failed; the others go on');
    expect(told.map(({ id }) => id)).toEqual(bad);
  });

  it('ends at once where the node can not work', async () => {
    await using house = await openHouse(engine);
    await fill(house, ['a', 'b']);
    const full = new Problem('unavailable', 'STORE_FULL', 'The disk is full.');
    await expect(removeAll(house, full)).rejects.toThrow(full);
    expect(await left(house)).toEqual(['a', 'b']);
    expect(house.log.lines).toEqual([]);
  });
});

it('steps all run, and the first failure is told', async () => {
  const ran: number[] = [];
  const step = (number: number) => async () => {
    ran.push(number);
    if (number < 3) throw new Error(`step ${number}`);
  };
  await expect(eachStep([1, 2, 3].map(step))).rejects.toThrow('step 1');
  expect(ran).toEqual([1, 2, 3]);
});
