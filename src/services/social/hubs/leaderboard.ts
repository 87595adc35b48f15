import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Leader } from '../../../contract/social/hub-posts.ts';
import { hubLimits } from '../../../contract/social/hubs/limits.ts';
import { hiddenFrom } from '../../../shared/members/blocks.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { hubKind, requireReadable } from './access.ts';
import { forbidden } from './problems.ts';

/** It tells of posts, so it is for members alone. Whoever left the hub is not on it. */
export async function showLeaderboard(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ leaderboard: Leader[] }> {
  const { role } = await requireReadable(ctx, actor, id);
  if (role === undefined) throw forbidden('members');
  const rows = await ctx.db
    .selectFrom('social_hub_scores as s')
    .innerJoin('room_members as m', (join) =>
      join.onRef('m.room_id', '=', 's.hub_id').onRef('m.member_id', '=', 's.member_id').on('m.kind', '=', hubKind),
    )
    .selectAll('s')
    .where('s.hub_id', '=', id)
    .where('s.post_count', '>', 0)
    .orderBy('s.score', 'desc')
    .orderBy('s.post_count', 'desc')
    .orderBy('s.member_id')
    .limit(hubLimits.leaderboard)
    .execute();
  const ids = rows.map((row) => row.member_id);
  const away = await hiddenFrom(ctx, actor.memberId, ids, 'blocks');
  const known = await memberSummaries(ctx, ids);
  const leaderboard = rows.flatMap((row) => {
    const member = known.get(row.member_id);
    if (member?.active !== true || away.has(row.member_id)) return [];
    return [
      {
        userId: row.member_id,
        username: member.username,
        hubId: id,
        score: row.score,
        postCount: row.post_count,
        upvotesReceived: row.upvotes,
        lastActiveAt: new Date(row.last_active_at).toISOString(),
      },
    ];
  });
  return { leaderboard };
}
