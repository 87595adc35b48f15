import type { Context } from '../../service/context.ts';
import { onlyRow, writtenList, writtenQuery } from '../../platform/store/written-query.ts';

const between = writtenQuery<{ count: number }>(`
  select count(*) as count from social_follows where requested = 0
    and ((follower_id = $1 and followee_id = $2) or (follower_id = $2 and followee_id = $1))`);

/** Whether two members follow each other in the social network. */
export async function followEachOther({ db }: Pick<Context, 'db'>, one: string, other: string): Promise<boolean> {
  return onlyRow((await db.executeQuery(between(one, other))).rows).count === 2;
}

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
