import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { parsedUrl } from '../../../base/parsed-url.ts';
import { destinationOf, OutgoingRefused } from '../../../platform/outbound/post.ts';
import { ownUrl } from '../address.ts';
import { durationOf } from '../icalendar/text/times.ts';
import { formatSpan } from '../recurrence/span.ts';

const HOUR = 3_600_000;
const { least, usual, most } = calendarLimits.refreshHours;

/**
 * An address that a calendar can follow, as it is kept. One answer for all reasons, so that nobody learns which names a private network has.
 * @throws Problem invalid VALIDATION_ERROR, conflict SUBSCRIPTIONS_OFF
 */
export async function requireAddress(ctx: Context, given: string): Promise<string> {
  const address = given.trim().replace(/^webcals?:/i, 'https:');
  if (ownHolidays(ctx, address) !== undefined) return address;
  if (!ctx.config.calendar.subscriptions)
    throw new Problem(
      'conflict',
      'SUBSCRIPTIONS_OFF',
      'This node does not fetch calendars from elsewhere. Its operator can turn that on (calendar.subscriptions). Import the file instead.',
    );
  try {
    return (await destinationOf(ctx.outgoing, address)).url.href;
  } catch (cause) {
    if (!(cause instanceof OutgoingRefused)) throw cause;
    throw fieldProblem(
      'subscriptionUrl',
      'must be an https address of the public internet, without user and fragment',
      {
        cause,
      },
    );
  }
}

/** The holidays of this node, for which it asks nobody. @returns the name of the file */
export function ownHolidays(ctx: Pick<Context, 'config' | 'instance'>, address: string): string | undefined {
  const url = parsedUrl(address);
  const [, file] = /^\/api\/cal\/holiday-catalog\/([a-z0-9-]+\.ics)$/i.exec(url?.pathname ?? '') ?? [];
  return url?.origin === parsedUrl(ownUrl(ctx))?.origin ? file?.toLowerCase() : undefined;
}

/** Milliseconds between two readings. @throws Problem invalid VALIDATION_ERROR */
export function requireInterval(text: string | undefined): number {
  if (text === undefined) return usual * HOUR;
  const { days = 0, seconds = 0 } = durationOf(text) ?? {};
  const ms = days * 24 * HOUR + seconds * 1000;
  if (ms < least * HOUR || ms > most * HOUR)
    throw fieldProblem(
      'subscriptionRefreshInterval',
      `must be a duration from PT${least}H to P${most / 24}D, such as PT6H or P1D`,
    );
  return ms;
}

export function intervalText(ms: number): string {
  const days = Math.floor(ms / (24 * HOUR));
  return formatSpan({ days, ms: ms - days * 24 * HOUR });
}
