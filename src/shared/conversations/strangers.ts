import type { Context } from '../../service/context.ts';
import { writtenList } from '../../platform/store/written-query.ts';
import { whoFollowEachOther } from '../members/follows.ts';
import { pairOf } from './conversation.ts';

const consenting = writtenList<{ id: string }>(
  1,
  (pairs) => `
  select p.member_id as id from conversations c join conversation_places p on p.conversation_id = c.id
  where p.member_id <> $1 and c.pair in ${pairs} and (p.spoke_at > 0 or c.request = 'accepted')`,
);

/**
 * Whether one of the others is a stranger to a member: the two do not follow each other, and the other one has said nothing in a conversation of
 * the two, nor accepted it. That the member wrote to them makes nobody known, and nor does a group, which one is put into without being asked.
 */
export async function hasStranger(
  ctx: Pick<Context, 'db'>,
  memberId: string,
  others: readonly string[],
): Promise<boolean> {
  const following = await whoFollowEachOther(ctx, memberId, others);
  const rest = others.filter((id) => !following.has(id));
  if (rest.length === 0) return false;
  const pairs = rest.flatMap((id) => [pairOf('direct', memberId, id), pairOf('social_direct', memberId, id)]);
  const { rows } = await ctx.db.executeQuery(consenting(pairs, memberId));
  const known = new Set(rows.map(({ id }) => id));
  return rest.some((id) => !known.has(id));
}
