import type { Context } from '../../service/context.ts';
import { writtenList } from '../../platform/store/written-query.ts';

const mutual = writtenList<{ id: string }>(
  1,
  (ids) => `
  select f.followee_id as id from social_follows f
  join social_follows b on b.follower_id = f.followee_id and b.followee_id = f.follower_id and b.requested = 0
  where f.follower_id = $1 and f.requested = 0 and f.followee_id in ${ids}`,
);

/** Those of the others who follow a member and whom the member follows. */
export async function whoFollowEachOther(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  others: readonly string[],
): Promise<Set<string>> {
  if (others.length === 0) return new Set();
  const { rows } = await db.executeQuery(mutual(others, memberId));
  return new Set(rows.map(({ id }) => id));
}

/** Whether two members follow each other in the social network. */
export async function followEachOther(ctx: Pick<Context, 'db'>, one: string, other: string): Promise<boolean> {
  return (await whoFollowEachOther(ctx, one, [other])).has(other);
}
