import type { Context } from '../../service/context.ts';
import type { MemberPresence, PresenceStatus } from '../../contract/chat/presence.ts';
import { writtenList } from '../../platform/store/written-query.ts';
import { showsOnlineStatus, showingOnline } from '../members/privacy.ts';
import type { Listener } from '../../service/ports/listener.ts';
import { isDoNotDisturb } from '../notifications/wishes.ts';
import { boardOf } from './board.ts';

/** What a member's status is made of. */
interface Facts {
  readonly id: string;
  readonly standing: string;
  readonly chosen: string | null;
  /** what others were last told */
  readonly told: string | null;
  readonly dnd_enabled: number | null;
  readonly dnd_until: number | null;
  readonly privacy: string | null;
  /** number of processes in which they count as online */
  readonly places: number;
  /** when they last gave a sign of themselves */
  readonly seen: number | null;
}

const facts = `
  select m.id, m.status as standing, p.status as chosen, p.told, n.dnd_enabled, n.dnd_until, f.privacy,
    (select count(*) from presence_sockets s join presence_processes q on q.id = s.process_id
      where s.member_id = m.id and q.ends_at > $1 and (s.ends_at is null or s.ends_at > $1)) as places,
    (select max(s.seen_at) from presence_sockets s where s.member_id = m.id) as seen
  from members m
  left join presence p on p.member_id = m.id
  left join notification_preferences n on n.member_id = m.id
  left join social_profiles f on f.member_id = m.id`;

const factsOf = writtenList<Facts>(1, (ids) => `${facts} where m.id in ${ids}`);

/** A request of the social network makes nobody acquainted before it is accepted. */
export const acquainting = `c.request is null or c.request = 'accepted'`;

/** Only what the viewer may see, so that of all others nothing is known, not even that they exist. */
const factsSeenBy = writtenList<Facts>(
  2,
  (ids) => `${facts}
  where (m.id = $2 or exists (
    select 1 from room_members a
    join room_members b on b.kind = a.kind and b.room_id = a.room_id and b.member_id = $2
    join conversations c on c.id = a.room_id and (${acquainting})
    where a.kind = 'conversation' and a.member_id = m.id))
  and not exists (
    select 1 from member_blocks x
    where (x.member_id = m.id and x.blocked_id = $2) or (x.member_id = $2 and x.blocked_id = m.id))
  and m.id in ${ids}`,
);

type Looking = Pick<Context, 'clock' | 'config'>;

/** When a member becomes idle by themselves, in milliseconds since 1970. */
function idleAt({ seen }: Facts, { config }: Looking): number {
  return seen === null || seen === 0 ? Infinity : seen + config.chat.idleAfterMs;
}

/** What a member shows to those who may see it. */
function statusOf(row: Facts, now: number, ctx: Looking): PresenceStatus {
  if (row.standing !== 'active' || row.places === 0 || !showsOnlineStatus(row)) return 'offline';
  if (isDoNotDisturb({ dnd_enabled: row.dnd_enabled ?? 0, dnd_until: row.dnd_until }, now)) return 'dnd';
  return row.chosen === 'idle' || idleAt(row, ctx) <= now ? 'idle' : 'online';
}

/**
 * What members show to one of them, in the order in which they are given. Whoever is unknown, suspended, parted by a block, in no conversation
 * with the viewer, or hides it, is offline, and so is everybody to a viewer who hides it: with the same statements.
 * @param memberIds few enough for one statement; some
 */
export async function statusesSeenBy(
  ctx: Looking & Pick<Context, 'db'>,
  viewerId: string,
  memberIds: readonly string[],
): Promise<MemberPresence[]> {
  const now = ctx.clock.now();
  const ids = [...new Set(memberIds)];
  const { rows } = await ctx.db.executeQuery(factsSeenBy(ids.length === 0 ? [viewerId] : ids, now, viewerId));
  const sees = (await showingOnline(ctx, [viewerId])).has(viewerId);
  const seen = new Map(rows.map((row) => [row.id, sees ? statusOf(row, now, ctx) : 'offline']));
  return ids.map((memberId) => ({ memberId, status: seen.get(memberId) ?? 'offline' }));
}

/**
 * Has a socket told of changes of these members instead of those whom it watched before. Whether it may see them is asked at each change.
 * @returns what they show now
 */
export async function watchMembers(
  ctx: Looking & Pick<Context, 'db' | 'realtime'>,
  listener: Listener,
  memberIds: readonly string[],
): Promise<MemberPresence[]> {
  const { watches } = boardOf(ctx);
  // First, so that a change in between is told.
  if (memberIds.length === 0) watches.delete(listener);
  else watches.set(listener, new Set(memberIds));
  return await statusesSeenBy(ctx, listener.memberId, memberIds);
}

interface Shown {
  readonly memberId: string;
  readonly status: PresenceStatus;
  readonly told: string;
  /** when somebody who is online becomes idle without a further sign, in milliseconds since 1970 */
  readonly idleAt: number;
}

/** What members show, with what others were last told of it. */
export async function statusesOf(
  ctx: Looking & Pick<Context, 'db'>,
  memberIds: readonly string[],
): Promise<readonly Shown[]> {
  if (memberIds.length === 0) return [];
  const now = ctx.clock.now();
  const { rows } = await ctx.db.executeQuery(factsOf(memberIds, now));
  return rows.map((row) => ({
    memberId: row.id,
    status: statusOf(row, now, ctx),
    told: row.told ?? 'offline',
    idleAt: idleAt(row, ctx),
  }));
}
