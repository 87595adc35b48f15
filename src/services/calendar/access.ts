import type { Context } from '../../service/context.ts';
import { grantable, permissions, type Permission } from '../../contract/calendar/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { CalendarRow } from '../../platform/store/tables/calendars.ts';
import { namedQuery } from '../../platform/store/written-query.ts';

/** A calendar, and what a member may do with it. */
export interface OpenCalendar extends CalendarRow {
  readonly permission: Permission;
}

interface Found extends CalendarRow {
  readonly shared: string | null;
}

/**
 * The shares that hold now: neither has blocked the other, and the owner is not suspended. It is asked each time, so that what was taken away
 * opens nothing any more.
 */
const holding = `(s.expires_at is null or s.expires_at > :now)
  and exists (select 1 from members o where o.id = c.owner_id and o.status = 'active')
  and not exists (select 1 from member_blocks b where b.member_id = c.owner_id and b.blocked_id = s.granted_to)
  and not exists (select 1 from member_blocks b where b.member_id = s.granted_to and b.blocked_id = c.owner_id)`;

const byId = namedQuery<Found, 'id' | 'me' | 'now'>(`
  select c.*, (select s.permission from calendar_shares s
    where s.granted_to = :me and s.calendar_id = c.id and ${holding}) as shared
  from calendars c where c.id = :id`);

const own = namedQuery<Found, 'me'>('select c.*, null as shared from calendars c where c.owner_id = :me order by c.id');
const shared = namedQuery<Found, 'me' | 'now'>(`
  select c.*, s.permission as shared from calendar_shares s join calendars c on c.id = s.calendar_id
  where s.granted_to = :me and ${holding} order by c.id`);

function opened(row: Found, memberId: string): OpenCalendar | undefined {
  const { shared: given, ...calendar } = row;
  if (calendar.owner_id === memberId) return { ...calendar, permission: 'owner' };
  const permission = grantable.find((name) => name === given);
  return permission === undefined ? undefined : { ...calendar, permission };
}

/**
 * A calendar that the member may use in this way. Whoever may not know of it learns nothing. Nobody is an editor of one that follows an address
 * elsewhere.
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN for those who may do less with it
 */
export async function requireCalendar(
  ctx: Pick<Context, 'db' | 'clock'>,
  memberId: string,
  id: string,
  needed: Permission,
): Promise<OpenCalendar> {
  const { rows } = await ctx.db.executeQuery(byId({ id, me: memberId, now: ctx.clock.now() }));
  const [row] = rows;
  const calendar = row === undefined ? undefined : opened(row, memberId);
  if (calendar === undefined) throw notThere();
  if (!allows(calendar.permission, needed)) throw new Problem('forbidden', 'FORBIDDEN', refusals[needed]);
  if (needed === 'editor' && calendar.subscribed === 1) throw new Problem('forbidden', 'FORBIDDEN', READ_ONLY);
  return calendar;
}

/** All calendars that the member sees: own ones, and then those of others, each in the order of their ids. */
export async function calendarsOf(ctx: Pick<Context, 'db' | 'clock'>, memberId: string): Promise<OpenCalendar[]> {
  const mine = await ctx.db.executeQuery(own({ me: memberId }));
  const others = await ctx.db.executeQuery(shared({ me: memberId, now: ctx.clock.now() }));
  return [...mine.rows, ...others.rows].flatMap((row) => opened(row, memberId) ?? []);
}

/** Whether a permission includes another one. */
function allows(permission: Permission, needed: Permission): boolean {
  return permissions.indexOf(permission) <= permissions.indexOf(needed);
}

const READ_ONLY =
  'The events of this calendar come from an address elsewhere, so nobody can change them here. Use another calendar.';

const refusals: Readonly<Record<Permission, string>> = {
  owner: 'Only the owner of the calendar can do this.',
  editor: 'You may read this calendar, and not change it.',
  viewer: 'You may see when the time of this calendar is taken, and not what happens then.',
  freebusy: '',
};

/** What is not there, and what the caller may not know of. */
export function notThere(what = 'calendar'): Problem {
  return new Problem('missing', 'NOT_FOUND', `There is no such ${what}, or you may not know of it.`);
}
