import type { Context } from '../../../service/context.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { PoolJoinRow } from '../../../platform/store/tables/pool.ts';
import { membership } from './admission-policy.ts';
import { provenWriters } from '../acl/proven-writers.ts';

/** The states in which a request waits for another node. */
const underWay = ['asking', 'pending'] as const;

export async function activeJoin(db: Db): Promise<PoolJoinRow | undefined> {
  return await db.selectFrom('pool_joins').selectAll().where('status', 'in', underWay).limit(1).executeTakeFirst();
}

/** The join request that is under way, or else the last one. */
export async function latestJoin(db: Db): Promise<PoolJoinRow | undefined> {
  return (await activeJoin(db)) ?? (await lastJoin(db));
}

async function lastJoin(db: Db): Promise<PoolJoinRow | undefined> {
  return await db.selectFrom('pool_joins').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export async function joinById(db: Db, id: string): Promise<PoolJoinRow | undefined> {
  return await db.selectFrom('pool_joins').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Changes a request that is still under way. @returns false if it isn't under way any more */
export async function updateJoin(ctx: Context, id: string, change: Partial<PoolJoinRow>): Promise<boolean> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('pool_joins')
    .set({ updated_at: ctx.clock.now(), ...change })
    .where('id', '=', id)
    .where('status', 'in', underWay)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Whether this node is in a pool with other nodes. A removed or expired node is in none. */
export async function hasCompany(ctx: Pick<Context, 'config' | 'db' | 'keys' | 'clock' | 'log'>): Promise<boolean> {
  const writers = await provenWriters(ctx);
  return (writers?.byId.size ?? 0) > 1 && (await membership(ctx)) === 'member';
}
