import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import type {
  CalendarFetchPaceRow,
  CalendarRow,
  CalendarSubscriptionRow,
} from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { requireInterval } from './address.ts';
import { openTarget, sealTarget, subscriptionsOf } from './rows.ts';

/** The kind of the jobs that read calendars from elsewhere. */
const refreshKind = 'calendar-subscription';

/**
 * So many addresses a member has read at once, and then one each minute: a node that reads whatever its members name, as often as they want,
 * would be a weapon.
 */
const AT_ONCE = 10;
const APART_MS = 60_000;

export interface PlannedRefresh {
  readonly calendarId: string;
}

/** Has a calendar read at a time. A run that is on its way counts no more. */
export async function planRefresh({ db, clock }: Context, calendarId: string, runAt: number): Promise<void> {
  const payload: PlannedRefresh = { calendarId };
  await planJob(db, { id: jobId(calendarId), kind: refreshKind, payload, runAt, now: clock.now() });
}

function jobId(calendarId: string): string {
  return `${refreshKind}/${calendarId}`;
}

const paceOf = writtenQuery<CalendarFetchPaceRow>('select * from calendar_fetch_pace where member_id = $1');
const notePace = 'on conflict (member_id) do update set until_at = excluded.until_at';

/** When the next address is read that the member asks for. The caller has locked the member. */
async function nextTurn({ db, clock }: Context, memberId: string): Promise<number> {
  const now = clock.now();
  const { rows } = await db.executeQuery(paceOf(memberId));
  const until = Math.max(now, rows[0]?.until_at ?? 0) + APART_MS;
  await insertRows(db, 'calendar_fetch_pace', [{ member_id: memberId, until_at: until }], notePace);
  return Math.max(now, until - AT_ONCE * APART_MS);
}

const counted = writtenQuery<{ count: number }>(
  'select count(*) as count from calendars where owner_id = $1 and subscribed = 1',
);

/** The caller has locked the owner, and the calendar is not there. @throws Problem conflict SUBSCRIPTIONS_FULL */
export async function assertRoomForSubscription({ db }: Pick<Context, 'db'>, ownerId: string): Promise<void> {
  const { rows } = await db.executeQuery(counted(ownerId));
  if ((rows[0]?.count ?? 0) < calendarLimits.subscriptions) return;
  const message = `You have ${calendarLimits.subscriptions} calendars from elsewhere, the most there can be. Delete one first.`;
  throw new Problem('conflict', 'SUBSCRIPTIONS_FULL', message);
}

/** What a calendar is to follow. */
export interface Following {
  /** as `requireAddress` returns it */
  readonly url: string;
  readonly everyMs: number;
}

/** Lets a new calendar follow an address. The caller has locked the owner. */
export async function addSubscription(tx: Context, calendar: CalendarRow, { url, everyMs }: Following): Promise<void> {
  const at = await nextTurn(tx, calendar.owner_id);
  const row: CalendarSubscriptionRow = {
    calendar_id: calendar.id,
    address: 1,
    every_ms: everyMs,
    next_at: at,
    fetched_at: null,
    changed_at: null,
    failures: 0,
    error: null,
    left_out: 0,
    sealed: sealTarget(tx, calendar, { url }),
  };
  await insertRows(tx.db, 'calendar_subscriptions', [row]);
  await planRefresh(tx, calendar.id, at);
}

const move = writtenQuery(`
  update calendar_subscriptions set address = $1, every_ms = $2, next_at = $3, failures = 0, error = null, sealed = $4
  where calendar_id = $5`);
const pace = writtenQuery('update calendar_subscriptions set every_ms = $1, next_at = $2 where calendar_id = $3');

/**
 * Gives a calendar that follows an address another one, or another interval. The address is read at once, also if it is the same one. The caller
 * has locked the owner.
 */
export async function changeSubscription(
  tx: Context,
  calendar: CalendarRow,
  { url, interval }: { readonly url: string | undefined; readonly interval: string | undefined },
): Promise<void> {
  const row = (await subscriptionsOf(tx, [calendar.id])).get(calendar.id);
  if (row === undefined) throw new Error('a calendar follows an address and has none');
  const everyMs = interval === undefined ? row.every_ms : requireInterval(interval);
  if (url === undefined) {
    const next = Math.min(row.next_at, tx.clock.now() + everyMs);
    await tx.db.executeQuery(pace(everyMs, next, calendar.id));
    if (next < row.next_at) await planRefresh(tx, calendar.id, next);
    return;
  }
  const before = openTarget(tx, calendar, row);
  const at = await nextTurn(tx, calendar.owner_id);
  const target = sealTarget(tx, calendar, before.url === url ? before : { url });
  await tx.db.executeQuery(move(row.address + 1, everyMs, at, target, calendar.id));
  await planRefresh(tx, calendar.id, at);
}

const remove = writtenQuery('delete from calendar_subscriptions where calendar_id = $1');
const unmark = writtenQuery('update calendars set subscribed = 0 where id = $1');

/** From now on the calendar follows nothing, and its events are its own. */
export async function endSubscription(tx: Context, { id }: Pick<CalendarRow, 'id'>): Promise<void> {
  await tx.db.executeQuery(remove(id));
  await tx.db.executeQuery(unmark(id));
  await cancelJob(tx.db, jobId(id));
}
