import type { Context } from '../../service/context.ts';

/** The summary of a member, shown beside objects that name them. */
export interface MemberSummary {
  readonly id: string;
  readonly username: string;
  /** whether the member may sign in, and so may be given anything */
  readonly active: boolean;
}

/** Both engines allow more parameters. Few lists name so many members. */
const IDS_AT_ONCE = 5_000;

/** Summaries of members by id, in one statement. Members who no longer exist are missing. */
export async function memberSummaries(
  { db }: Pick<Context, 'db'>,
  ids: Iterable<string>,
): Promise<Map<string, MemberSummary>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, MemberSummary>();
  for (let from = 0; from < wanted.length; from += IDS_AT_ONCE) {
    const rows = await db
      .selectFrom('members')
      .select(['id', 'username', 'status'])
      .where('id', 'in', wanted.slice(from, from + IDS_AT_ONCE))
      .execute();
    for (const { id, username, status } of rows) found.set(id, { id, username, active: status === 'active' });
  }
  return found;
}

/** Whether the member exists and isn't suspended. */
export async function isActive(ctx: Pick<Context, 'db'>, id: string): Promise<boolean> {
  return (await memberSummaries(ctx, [id])).get(id)?.active === true;
}
