import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Calendar, calendars } from '../../../contract/calendar/calendars.ts';
import type { InputOf } from '../../../contract/operation.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
import type { CalendarSubscriptionRow } from '../../../platform/store/tables/calendars.ts';
import type { OpenCalendar } from '../access.ts';
import { requireAddress, requireInterval } from './address.ts';
import { changeSubscription, endSubscription, type Following } from './planning.ts';
import { toSubscription } from './rows.ts';

/** Not for use in a transaction. @throws Problem invalid VALIDATION_ERROR, conflict SUBSCRIPTIONS_OFF */
export async function followingOf(
  ctx: Context,
  {
    subscriptionUrl: url,
    subscriptionRefreshInterval: interval,
    isDefault,
  }: InputOf<(typeof calendars)['createCalendar']>,
): Promise<Following | undefined> {
  if (url === undefined) {
    if (interval !== undefined) throw fieldProblem('subscriptionRefreshInterval', 'needs subscriptionUrl');
    return undefined;
  }
  if (isDefault === true) throw neverDefault();
  return { everyMs: requireInterval(interval), url: await requireAddress(ctx, url) };
}

export function neverDefault(): Problem {
  return fieldProblem('isDefault', 'cannot be true for a calendar whose events come from elsewhere');
}

/** Lets a calendar follow another address, or none. The caller has locked its owner. @returns whether it follows one. @throws Problem invalid VALIDATION_ERROR */
export async function follow(
  tx: Context,
  row: OpenCalendar,
  url: string | null | undefined,
  interval: string | undefined,
): Promise<number> {
  if (url === undefined && interval === undefined) return row.subscribed;
  if (row.subscribed === 0) {
    if (url === null && interval === undefined) return 0;
    const field = url === undefined ? 'subscriptionRefreshInterval' : 'subscriptionUrl';
    throw fieldProblem(field, 'cannot be given to a calendar with events of its own. Create another calendar with it');
  }
  if (url === null) await endSubscription(tx, row);
  else await changeSubscription(tx, row, { url, interval });
  return url === null ? 0 : 1;
}

/** An address may be a secret that outlives an app password. */
export function subscriptionSeen(
  ctx: Context,
  { appPassword }: Actor,
  calendar: OpenCalendar,
  row: CalendarSubscriptionRow | undefined,
): Partial<Calendar> {
  if (row === undefined) return {};
  const { subscriptionUrl, ...others } = toSubscription(ctx, calendar, row);
  return appPassword === undefined ? { subscriptionUrl, ...others } : others;
}
