import type { Context } from '../../../service/context.ts';

/** The accounts of active members of the quorum, sorted. Members without an account are left out. */
export async function accountsOf(ctx: Context, memberIds: readonly string[]): Promise<string[]> {
  if (memberIds.length === 0) return [];
  const rows = await ctx.db
    .selectFrom('quorum_members')
    .select('account_id')
    .where('id', 'in', memberIds)
    .where('active', '=', 1)
    .execute();
  return rows.flatMap(({ account_id: id }) => (id === null ? [] : [id])).toSorted();
}
