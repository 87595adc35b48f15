import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { getFrom } from '../../../platform/outbound/get.ts';
import { holidayIcs } from '../holidays.ts';
import type { CalendarFile } from '../icalendar/read/read.ts';
import { openFile } from '../imports/given-file.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { ownHolidays } from './address.ts';
import { failureOf, RefreshFailed } from './failures.ts';
import type { Target } from './rows.ts';

/** For everything, from the first name to the last byte. */
const TIMEOUT_MS = 60_000;
/** Among so many a file ends, also one in UTF-16. */
const LAST_BYTES = 256;

/** @returns undefined if it has not changed. @throws RefreshFailed, OutgoingRefused, AnswerUnfit */
export async function readAddress(
  ctx: Context,
  { url, etag, lastModified }: Target,
  signal: AbortSignal,
): Promise<{ body: Uint8Array; target: Target } | undefined> {
  const own = ownHolidays(ctx, url);
  if (own !== undefined) return await readHolidays(ctx, { url, ...(etag !== undefined && { etag }) }, own);
  const headers = {
    accept: 'text/calendar',
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
  const answer = await getFrom(ctx.outgoing, url, {
    headers,
    maxBytes: calendarLimits.subscriptionBytes,
    timeoutMs: TIMEOUT_MS,
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw failureOf(error) ?? new RefreshFailed('UNREACHABLE');
  });
  if (answer.status === 304) return undefined;
  if (answer.body === undefined)
    throw new RefreshFailed(`STATUS_${answer.status}`, { retryAfterMs: (wholeNumber(answer.retryAfter) ?? 0) * 1000 });
  return {
    body: answer.body,
    target: {
      url,
      ...(answer.etag !== undefined && { etag: answer.etag }),
      ...(answer.lastModified !== undefined && { lastModified: answer.lastModified }),
    },
  };
}

async function readHolidays(ctx: Context, { url, etag }: Target, file: string) {
  try {
    const { content, version = '' } = await holidayIcs(ctx, { kind: 'guest', address: '', userAgent: '' }, { file });
    if (version === etag) return undefined;
    return { body: Buffer.from(content as string), target: { url, etag: version } };
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') throw new RefreshFailed('STATUS_404', { cause: error });
    throw error;
  }
}

/** @throws RefreshFailed also for the beginning of one, as of a connection that ended too early: what is missing is not gone */
export async function fileIn(ctx: Context, body: Uint8Array): Promise<CalendarFile> {
  const end = Buffer.from(body.subarray(-LAST_BYTES)).toString('latin1').replaceAll('\0', '').trimEnd();
  if (!/END:VCALENDAR$/i.test(end)) throw new RefreshFailed('NOT_A_CALENDAR');
  try {
    return await openFile(body, zonesOf(ctx));
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid')
      throw new RefreshFailed('NOT_A_CALENDAR', { cause: error });
    throw error;
  }
}
