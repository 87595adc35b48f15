import type { Context } from '../../service/context.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';

const between = writtenQuery<{ count: number }>(`
  select count(*) as count from social_follows where requested = 0
    and ((follower_id = $1 and followee_id = $2) or (follower_id = $2 and followee_id = $1))`);

/** Whether two members follow each other in the social network. */
export async function followEachOther({ db }: Pick<Context, 'db'>, one: string, other: string): Promise<boolean> {
  return onlyRow((await db.executeQuery(between(one, other))).rows).count === 2;
}
