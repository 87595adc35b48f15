import { transaction, type Context } from '../../../service/context.ts';
import { isOfNode } from '../../../service/sweep.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { CalendarRow, CalendarSubscriptionRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { ownHolidays } from './address.ts';
import { failureOf, RefreshFailed } from './failures.ts';
import { NotFollowed } from './followed.ts';
import { planRefresh, type PlannedRefresh } from './planning.ts';
import { fileIn, readAddress } from './read-address.ts';
import { openTarget, sealTarget, subscriptionsOf, type Target } from './rows.ts';
import { writeDifferences, type Written } from './write-differences.ts';

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
    const now = outcome === undefined ? await toRefresh(ctx, calendarId) : found;
    // Another address has a job of its own.
    if (now?.row.address !== found.row.address) return;
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

/** @returns undefined if there is nothing to read, or nobody to read it for, any more */
async function outcomeOf(ctx: Context, found: Refresh, signal: AbortSignal): Promise<Outcome | undefined> {
  const { calendar, row } = found;
  try {
    const answer = await readAddress(ctx, found.target, signal);
    if (answer === undefined) return { as: 'same' };
    const file = await fileIn(ctx, answer.body);
    const written = await writeDifferences(ctx, { calendarId: calendar.id, address: row.address, signal }, file);
    return { as: 'read', target: answer.target, written };
  } catch (error) {
    if (error instanceof NotFollowed) return undefined;
    // The program ends, or the node has other worries: the job runs again.
    if (signal.aborted || isOfNode(error)) throw error;
    const failure = failureOf(error);
    const which = { calendar: calendar.id };
    if (failure === undefined) ctx.log.error('a calendar from elsewhere could not be read', { ...which, error });
    // Its cause may name the address.
    else ctx.log.debug('a calendar from elsewhere was not read', { ...which, reason: failure.code });
    return { as: 'failed', failure: failure ?? new RefreshFailed('FAILED') };
  }
}

const note = writtenQuery(`
  update calendar_subscriptions set next_at = $1, fetched_at = $2, changed_at = $3, failures = $4, error = $5, left_out = $6,
    sealed = $7 where calendar_id = $8 and address = $9`);

async function settle(tx: Context, found: Refresh, outcome: Outcome | undefined): Promise<void> {
  const { calendar, row } = found;
  const now = tx.clock.now();
  const after = { ...row, ...changesBy(tx, found, outcome, now) };
  const retryAfter = outcome?.as === 'failed' ? Math.min(outcome.failure.retryAfterMs, LONGEST_MS) : 0;
  const next = now + Math.max(waitOf(tx, row.every_ms, after.failures), retryAfter);
  await tx.db.executeQuery(
    note(
      next,
      after.fetched_at,
      after.changed_at,
      after.failures,
      after.error,
      after.left_out,
      after.sealed,
      calendar.id,
      row.address,
    ),
  );
  await planRefresh(tx, calendar.id, next);
}

function changesBy(
  tx: Context,
  { calendar, row }: Refresh,
  outcome: Outcome | undefined,
  now: number,
): Partial<CalendarSubscriptionRow> {
  if (outcome === undefined) return {};
  if (outcome.as === 'failed') return { failures: row.failures + 1, error: outcome.failure.code };
  const good = { fetched_at: now, failures: 0, error: null };
  if (outcome.as === 'same') return good;
  const { target, written } = outcome;
  return {
    ...good,
    ...(written.changes > 0 && { changed_at: now }),
    left_out: written.leftOut,
    sealed: sealTarget(tx, calendar, target),
  };
}

function waitOf({ random }: Pick<Context, 'random'>, everyMs: number, failures: number): number {
  const wait =
    failures === 0 ? everyMs : Math.max(everyMs, Math.min(everyMs * 2 ** Math.min(failures - 1, 16), LONGEST_MS));
  const share = (random(1)[0] ?? 0) / 256;
  return Math.round(wait * (1 + share / SPREAD));
}
