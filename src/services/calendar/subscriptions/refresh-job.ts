import { isUtf8 } from 'node:buffer';
import { transaction, type Context } from '../../../service/context.ts';
import { isOfNode } from '../../../service/sweep.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { Problem } from '../../../base/problem.ts';
import { getFrom } from '../../../platform/outbound/get.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { CalendarRow, CalendarSubscriptionRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { holidayIcs } from '../holidays.ts';
import { openFile } from '../imports/given-file.ts';
import type { CalendarFile } from '../icalendar/read/read.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { ownHolidays } from './address.ts';
import { failureOf, RefreshFailed } from './failures.ts';
import { planRefresh, type PlannedRefresh } from './planning.ts';
import { openTarget, sealTarget, subscriptionsOf, type Target } from './rows.ts';
import { Replaced, writeDifferences, type Written } from './write-differences.ts';

/** For everything, from the first name to the last byte. */
const TIMEOUT_MS = 60_000;
/** Whoever fails is asked ever more seldom, up to this. */
const LONGEST_MS = 7 * 86_400_000;
/** Nobody is asked by all nodes at the same moment: each time waits up to a tenth longer. */
const SPREAD = 10;

/** A calendar, and what it follows. */
interface Refresh {
  readonly calendar: CalendarRow;
  readonly row: CalendarSubscriptionRow;
  readonly target: Target;
}

/** What came of a reading. */
type Outcome =
  | { readonly as: 'same' }
  | { readonly as: 'read'; readonly target: Target; readonly written: Written }
  | { readonly as: 'failed'; readonly failure: RefreshFailed };

/** Reads the address that a calendar follows, and plans the next time. */
export function subscriptionHandler(ctx: Context): JobHandler {
  return async (payload, { finish, signal }) => {
    const { calendarId } = payload as PlannedRefresh;
    const found = await toRefresh(ctx, calendarId);
    if (found === undefined) return;
    // What stops for a while, or as long as the operator or an administrator wants, goes on by itself afterwards.
    const outcome = (await mayRefresh(ctx, found)) ? await outcomeOf(ctx, found, signal) : undefined;
    if (outcome === 'replaced') return;
    await transaction(ctx, async (tx) => {
      await finish(tx.db);
      await settle(tx, found, outcome);
    });
  };
}

const byId = writtenQuery<CalendarRow>('select * from calendars where id = $1 and subscribed = 1');

async function toRefresh(ctx: Context, calendarId: string): Promise<Refresh | undefined> {
  const { rows } = await ctx.db.executeQuery(byId(calendarId));
  const [calendar] = rows;
  const row = (await subscriptionsOf(ctx, [calendarId])).get(calendarId);
  return calendar === undefined || row === undefined
    ? undefined
    : { calendar, row, target: openTarget(ctx, calendar, row) };
}

const active = writtenQuery("select id from members where id = $1 and status = 'active'");

async function mayRefresh(ctx: Context, { calendar, target }: Refresh): Promise<boolean> {
  if (!ctx.config.calendar.subscriptions && ownHolidays(ctx, target.url) === undefined) return false;
  return (await ctx.db.executeQuery(active(calendar.owner_id))).rows.length > 0;
}

async function outcomeOf(ctx: Context, found: Refresh, signal: AbortSignal): Promise<Outcome | 'replaced'> {
  const { calendar, row } = found;
  try {
    const answer = await readAddress(ctx, found.target, signal);
    if (answer === undefined) return { as: 'same' };
    const file = await fileIn(ctx, answer.body);
    const written = await writeDifferences(ctx, { calendarId: calendar.id, address: row.address, signal }, file);
    return { as: 'read', target: answer.target, written };
  } catch (error) {
    if (error instanceof Replaced) return 'replaced';
    // The program ends, or the node has other worries: the job runs again.
    if (signal.aborted || isOfNode(error)) throw error;
    const failure = failureOf(error);
    // The error may name what is behind the address.
    if (failure === undefined) ctx.log.error('a calendar from elsewhere could not be read', { calendar: row.calendar_id, error });
    else ctx.log.debug('a calendar from elsewhere was not read', { calendar: row.calendar_id, reason: failure.code });
    return { as: 'failed', failure: failure ?? new RefreshFailed('FAILED') };
  }
}

/** @returns undefined if it has not changed. @throws RefreshFailed, OutgoingRefused, AnswerUnfit */
async function readAddress(
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
async function fileIn(ctx: Context, body: Uint8Array): Promise<CalendarFile> {
  const end = Buffer.from(body.subarray(-64)).toString('latin1').replaceAll('\0', '').trimEnd();
  if (!/END:VCALENDAR$/i.test(end) || (!isUtf8(body) && body.includes(0) && body[0] !== 0xff && body[0] !== 0xfe))
    throw new RefreshFailed('NOT_A_CALENDAR');
  try {
    return await openFile(body, zonesOf(ctx));
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid')
      throw new RefreshFailed('NOT_A_CALENDAR', { cause: error });
    throw error;
  }
}

const note = writtenQuery(`
  update calendar_subscriptions set next_at = $1, fetched_at = $2, changed_at = $3, failures = $4, error = $5, left_out = $6,
    sealed = $7 where calendar_id = $8 and address = $9`);

async function settle(tx: Context, found: Refresh, outcome: Outcome | undefined): Promise<void> {
  const { calendar, row, target: before } = found;
  const now = tx.clock.now();
  const failures = outcome?.as === 'failed' ? row.failures + 1 : outcome === undefined ? row.failures : 0;
  const retryAfter = outcome?.as === 'failed' ? Math.min(outcome.failure.retryAfterMs, LONGEST_MS) : 0;
  const next = now + Math.max(waitOf(tx, row.every_ms, failures), retryAfter);
  const isGood = outcome?.as === 'same' || outcome?.as === 'read';
  const written = outcome?.as === 'read' ? outcome.written : undefined;
  const error = outcome?.as === 'failed' ? outcome.failure.code : outcome === undefined ? row.error : null;
  await tx.db.executeQuery(
    note(
      next,
      isGood ? now : row.fetched_at,
      (written?.changes ?? 0) > 0 ? now : row.changed_at,
      failures,
      error,
      written?.leftOut ?? row.left_out,
      outcome?.as === 'read' ? sealTarget(tx, calendar, outcome.target) : sealTarget(tx, calendar, before),
      calendar.id,
      row.address,
    ),
  );
  await planRefresh(tx, calendar.id, next);
}

function waitOf({ random }: Pick<Context, 'random'>, everyMs: number, failures: number): number {
  const wait = failures === 0 ? everyMs : Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures - 1, 16), LONGEST_MS));
  const share = (random(1)[0] ?? 0) / 256;
  return Math.round(wait * (1 + share / SPREAD));
}
