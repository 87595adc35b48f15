import type { Context } from '../../../service/context.ts';
import type { SubscriptionState } from '../../../contract/calendar/limits.ts';
import type { Calendar } from '../../../contract/calendar/calendars.ts';
import { Problem } from '../../../base/problem.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { CalendarRow, CalendarSubscriptionRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import { openContentKey } from '../own-calendars.ts';
import { intervalText, ownHolidays } from './address.ts';
import { failureText } from './failures.ts';

/** What a calendar follows: the address, and what names its content that was read last. */
export interface Target {
  readonly url: string;
  readonly etag?: string;
  readonly lastModified?: string;
}

type Place = Pick<CalendarRow, 'id' | 'content_key'>;

function purpose({ id }: Place): Uint8Array {
  return utf8(`calendar-subscription:${id}`);
}

export function sealTarget(ctx: Pick<Context, 'keys' | 'random'>, calendar: Place, target: Target): Uint8Array {
  const key = openContentKey(ctx, calendar);
  try {
    return sealWithKey(key, utf8(JSON.stringify(target)), purpose(calendar), ctx.random);
  } finally {
    key.fill(0);
  }
}

/** @throws Problem internal STORE_DAMAGED */
export function openTarget(
  ctx: Pick<Context, 'keys'>,
  calendar: Place,
  { sealed }: Pick<CalendarSubscriptionRow, 'sealed'>,
): Target {
  const key = openContentKey(ctx, calendar);
  try {
    return JSON.parse(fromUtf8(openWithKey(key, sealed, purpose(calendar)))) as Target;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = 'The address of a calendar does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  } finally {
    key.fill(0);
  }
}

const byCalendars = writtenList<CalendarSubscriptionRow>(
  0,
  (ids) => `select * from calendar_subscriptions where calendar_id in ${ids}`,
);

/** The subscriptions of these calendars, by their ids. */
export async function subscriptionsOf(
  { db }: Pick<Context, 'db'>,
  calendarIds: readonly string[],
): Promise<Map<string, CalendarSubscriptionRow>> {
  if (calendarIds.length === 0) return new Map();
  const { rows } = await db.executeQuery(byCalendars(calendarIds));
  return new Map(rows.map((row) => [row.calendar_id, row]));
}

/** What the owner of a calendar sees of where its events come from. */
export function toSubscription(ctx: Context, calendar: Place, row: CalendarSubscriptionRow) {
  const { url } = openTarget(ctx, calendar, row);
  const { fetched_at: fetched, changed_at: changed, failures, error } = row;
  return {
    subscriptionUrl: url,
    subscriptionRefreshInterval: intervalText(row.every_ms),
    subscriptionStatus: {
      state: stateOf(ctx, row, url),
      ...(fetched !== null && { fetchedAt: new Date(fetched).toISOString() }),
      ...(changed !== null && { changedAt: new Date(changed).toISOString() }),
      nextAt: new Date(row.next_at).toISOString(),
      failures,
      ...(error !== null && { error: { reason: error, message: failureText(error) } }),
      leftOut: row.left_out,
    },
  } as const satisfies Partial<Calendar>;
}

function stateOf(ctx: Context, row: CalendarSubscriptionRow, url: string): SubscriptionState {
  if (!ctx.config.calendar.subscriptions && ownHolidays(ctx, url) === undefined) return 'off';
  if (row.failures > 0) return 'failing';
  return row.fetched_at === null ? 'pending' : 'current';
}
