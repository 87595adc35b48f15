import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { inOrderOf, keysOf } from '../../../shared/members/named.ts';
import type { MemberSummary } from '../../../shared/members/summaries.ts';
import { unknownAmong } from '../people/found.ts';
import { hubKind } from './access.ts';

/**
 * The member whom a moderator names. Nobody escapes the rules of a hub by a block, so one who blocked the moderator, or is suspended, is found
 * too if the hub knows them. Otherwise they are unknown here as everywhere, because the hub may be one that was made to find out.
 * @throws Problem missing MEMBER_NOT_FOUND
 */
export async function requireSubject(
  ctx: Pick<Context, 'db' | 'config'>,
  actor: Actor,
  hubId: string,
  name: string,
): Promise<MemberSummary> {
  const [found] = await requireSubjects(ctx, actor, hubId, [name]);
  return found as MemberSummary;
}

/** @returns each member once. @throws Problem missing MEMBER_NOT_FOUND */
export async function requireSubjects(
  ctx: Pick<Context, 'db' | 'config'>,
  { memberId }: Actor,
  hubId: string,
  names: readonly string[],
): Promise<MemberSummary[]> {
  const { ids, usernames, emails } = keysOf(names);
  // One statement for all, so that its time tells nothing either.
  const rows = await ctx.db
    .selectFrom('members as m')
    .select(['m.id', 'm.username', 'm.status', 'm.username_key', 'm.email_key', 'm.verified_email_key'])
    .where((e) => e.or([e('m.id', 'in', ids), e('m.username_key', 'in', usernames), e('m.email_key', 'in', emails)]))
    .where((e) => e.or([isOpenTo(memberId), isKnownIn(hubId)]))
    .execute();
  const found = new Map<string, MemberSummary>();
  for (const [at, row] of inOrderOf(ctx, names, rows).entries()) {
    if (row === undefined) throw unknownAmong(names, at);
    found.set(row.id, { id: row.id, username: row.username, active: row.status === 'active' });
  }
  return [...found.values()];
}

/** Whether a member `m` is somebody for everyone else's operations too. */
const isOpenTo = (memberId: string) => sql<boolean>`(m.status = 'active'
  and exists (select 1 from social_profiles p where p.member_id = m.id)
  and not exists (select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = ${memberId}))`;

/** Whether a member `m` is or was in a hub, or was banned from it. It is about the hubs below too, because a ban is. */
const isKnownIn = (hubId: string) => sql<boolean>`(exists (select 1 from room_members r where r.member_id = m.id
    and r.kind = ${hubKind} and r.room_id in (select h.id from social_hubs h where h.id = ${hubId} or h.parent_id = ${hubId}))
  or exists (select 1 from room_bans n where n.member_id = m.id and n.kind = ${hubKind} and n.room_id = ${hubId})
  or exists (select 1 from room_log l where l.subject_id = m.id and l.kind = ${hubKind} and l.room_id = ${hubId})
  or exists (select 1 from social_hub_scores c where c.member_id = m.id and c.hub_id = ${hubId}))`;
