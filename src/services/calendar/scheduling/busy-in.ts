import type { Context } from '../../../service/context.ts';
import type { EventRunRow } from '../../../platform/store/tables/calendars.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { computedIn } from '../events/instances-in.ts';
import type { TimeRange } from '../events/range.ts';
import { earliestOf, lengths, periodOf, periodText } from '../objects/periods.ts';
import { mergeBusy, type BusyTime } from './merge-busy.ts';
import { startsIn, type EventInstance } from '../objects/runs.ts';

/** Events that one request reads. A month of 50 people has some ten thousand. */
const MOST = 50_000;

type Busy = Pick<EventInstance, 'calendar_id' | 'start_at' | 'end_at' | 'status'>;

const busy = writtenList<Pick<EventRunRow, 'calendar_id' | 'start_at' | 'end_at' | 'duration' | 'step' | 'status'>>(
  5,
  (ids) => `
  select calendar_id, start_at, end_at, duration, step, status from event_runs
  where long = $1 and ${periodText} between $2 and $3 and start_at < $4 and end_at > $5 and opaque = 1
    and calendar_id in ${ids}
  limit ${MOST}`,
);

/**
 * When members are busy within a range, by the owners of the calendars.
 * @throws Problem invalid VALIDATION_ERROR for a range with too many events
 */
export async function busyIn(
  ctx: Context,
  calendars: ReadonlyMap<string, readonly OpenCalendar[]>,
  range: TimeRange,
): Promise<Map<string, BusyTime[]>> {
  const { from, to } = range;
  const every = [...calendars.values()].flat();
  const ids = every.map(({ id }) => id);
  const found: Busy[] = (await computedIn(ctx, every, range)).filter(({ opaque }) => opaque === 1);
  if (ids.length > 0)
    for (const long of lengths) {
      const { rows } = await ctx.db.executeQuery(
        busy(ids, long, periodOf(earliestOf(long, from)), periodOf(to), to, from),
      );
      for (const { calendar_id, status, ...run } of rows) {
        for (const start of startsIn(run, range))
          found.push({ calendar_id, start_at: start, end_at: start + run.duration, status });
        if (found.length >= MOST) break;
      }
    }
  if (found.length >= MOST) throw fieldProblem('rangeEnd', `is too late: the range has more than ${MOST} events`);
  const ownerOf = new Map(every.map(({ id, owner_id: owner }) => [id, owner]));
  const times = new Map<string, BusyTime[]>([...calendars.keys()].map((owner) => [owner, []]));
  for (const { calendar_id: id, start_at: start, end_at: end, status } of found)
    times.get(ownerOf.get(id) ?? '')?.push({ start, end, type: status === 'TENTATIVE' ? 'BUSY-TENTATIVE' : 'BUSY' });
  return new Map([...times].map(([owner, some]) => [owner, mergeBusy(some, range)]));
}
