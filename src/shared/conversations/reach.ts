import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';

/** Each direction by itself: one condition with `or` has SQLite gather rows, which takes time only where the member exists. */
const notParted = (reader: string): string => `
  not exists (select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = ${reader})
  and not exists (select 1 from member_blocks b where b.member_id = ${reader} and b.blocked_id = m.id)`;
const reachable = writtenQuery<{ id: string }>(
  `select m.id from members m where m.id = $1 and m.status = 'active' and ${notParted('$2')}`,
);

/**
 * Whether one member may reach another. Whoever is suspended, or parted by a block in either direction, is as unknown as one who does not
 * exist: it is one statement, so its time tells nothing either.
 * @throws Problem missing MEMBER_NOT_FOUND
 */
export async function requireReachable(ctx: Pick<Context, 'db'>, memberId: string, otherId: string): Promise<void> {
  if (!(await isReachable(ctx, memberId, otherId)))
    throw new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member.');
}

/** The same as a question. */
export async function isReachable({ db }: Pick<Context, 'db'>, memberId: string, otherId: string): Promise<boolean> {
  return (await db.executeQuery(reachable(otherId, memberId))).rows.length > 0;
}

const reachableAmong = writtenList<{ id: string }>(
  1,
  (ids) => `select m.id from members m where m.status = 'active' and ${notParted('$1')} and m.id in ${ids}`,
);

/** The same for several at once. Whoever is not reachable is not named. @throws Problem missing MEMBER_NOT_FOUND */
export async function requireAllReachable(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  others: readonly string[],
): Promise<void> {
  if (others.length === 0) return;
  const { rows } = await db.executeQuery(reachableAmong(others, memberId));
  if (new Set(rows.map((row) => row.id)).size === others.length) return;
  throw unreachable(others);
}

export function unreachable(others: readonly string[]): Problem {
  const message = others.length === 1 ? 'There is no such member.' : 'There is no such member as one of them.';
  return new Problem('missing', 'MEMBER_NOT_FOUND', message);
}
