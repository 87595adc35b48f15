import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { calendarLimits } from '../../contract/calendar/limits.ts';
import type { CalendarShare, shares } from '../../contract/calendar/shares.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { CalendarShareRow } from '../../platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import { once } from '../../service/repeats.ts';
import { blockedEitherWay } from '../../shared/members/blocks.ts';
import { membersNamed } from '../../shared/members/named.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { memberSummaries } from '../../shared/members/summaries.ts';
import { notThere, requireCalendar } from './access.ts';

type Contract = typeof shares;

/** No member has this id. */
const NOBODY = '';

const counted = writtenQuery<{ count: number }>('select count(*) as count from calendar_shares where calendar_id = $1');
const ended = writtenQuery('delete from calendar_shares where calendar_id = $1 and expires_at <= $2');
const ofMember = writtenQuery<{ id: string }>(
  'select id from calendar_shares where granted_to = $1 and calendar_id = $2',
);

export async function shareCalendar(
  ctx: Context,
  actor: Actor,
  { calendarId, grantedToUserId: name, permission, expiresAt }: InputOf<Contract['shareCalendar']>,
): Promise<ReplyOf<Contract['shareCalendar']>> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireCalendar(tx, memberId, calendarId, 'owner');
    return await once(tx, async () => {
      const now = tx.clock.now();
      const expires = expiresAt === undefined ? null : Date.parse(expiresAt);
      if (expires !== null && expires <= now) throw fieldProblem('expiresAt', 'must be in the future');
      const [member] = await membersNamed(tx, [name]);
      // Who is unknown, suspended or blocked is the same to whoever asks, also by what is looked up.
      const apart = await blockedEitherWay(tx, memberId, [member?.id ?? NOBODY]);
      if (member === undefined || apart.size > 0 || !member.active) throw notThere('member');
      if (member.id === memberId) throw fieldProblem('grantedToUserId', 'is you: the calendar is yours');
      await lockMembers(tx, [memberId, member.id]);
      await requireCalendar(tx, memberId, calendarId, 'owner');
      await tx.db.executeQuery(ended(calendarId, now));
      const there = await tx.db.executeQuery(ofMember(member.id, calendarId));
      if (there.rows.length > 0)
        throw new Problem(
          'conflict',
          'CONFLICT',
          `The calendar is shared with ${member.username} already. End that share first.`,
        );
      const { rows } = await tx.db.executeQuery(counted(calendarId));
      if ((rows[0]?.count ?? 0) >= calendarLimits.shares)
        throw new Problem(
          'conflict',
          'SHARES_FULL',
          `The calendar is shared with ${calendarLimits.shares} members, the most there can be. End a share first.`,
        );
      const row: CalendarShareRow = {
        id: recordId(now, tx.random),
        calendar_id: calendarId,
        granted_to: member.id,
        permission,
        created_at: now,
        expires_at: expires,
      };
      await insertRows(tx.db, 'calendar_shares', [row]);
      return { share: toShare(row, member.username) };
    });
  });
}

const ofCalendar = writtenQuery<CalendarShareRow>(`
  select * from calendar_shares where calendar_id = $1 and (expires_at is null or expires_at > $2) order by id`);

export async function listShares(
  ctx: Context,
  { memberId }: Actor,
  { calendarId }: InputOf<Contract['listShares']>,
): Promise<ReplyOf<Contract['listShares']>> {
  await requireCalendar(ctx, memberId, calendarId, 'owner');
  const { rows } = await ctx.db.executeQuery(ofCalendar(calendarId, ctx.clock.now()));
  const members = await memberSummaries(
    ctx,
    rows.map((row) => row.granted_to),
  );
  return { shares: rows.map((row) => toShare(row, members.get(row.granted_to)?.username ?? '')) };
}

const shareById = writtenQuery<CalendarShareRow>('select * from calendar_shares where id = $1 and calendar_id = $2');
const removed = writtenQuery('delete from calendar_shares where id = $1');

export async function removeShare(
  ctx: Context,
  actor: Actor,
  { calendarId, shareId }: InputOf<Contract['removeShare']>,
): Promise<{ success: true }> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const { rows } = await tx.db.executeQuery(shareById(shareId, calendarId));
    const [row] = rows;
    // Whoever it was given to may end it, also while the calendar is hidden from them.
    if (row?.granted_to !== actor.memberId) await requireCalendar(tx, actor.memberId, calendarId, 'owner');
    if (row === undefined) throw notThere('share');
    await tx.db.executeQuery(removed(shareId));
  });
  return { success: true };
}

function toShare(row: CalendarShareRow, username: string): CalendarShare {
  return {
    id: row.id,
    calendarId: row.calendar_id,
    grantedTo: { id: row.granted_to, username },
    permission: row.permission as CalendarShare['permission'],
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.expires_at !== null && { expiresAt: new Date(row.expires_at).toISOString() }),
  };
}
