import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { FoundEvent, search } from '../../contract/calendar/search.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem } from '../../base/problem.ts';
import { asc, desc, readCursor, writeCursor, type Listing } from '../../platform/store/page.ts';
import { soughtWords } from '../../platform/store/search/words.ts';
import type { CalendarObjectRow } from '../../platform/store/tables/calendars.ts';
import { namedQuery } from '../../platform/store/written-query.ts';
import type { OpenCalendar } from './access.ts';
import { momentIn, type TimeRange } from './events/range.ts';
import { zonesOf } from './objects/known-zones.ts';
import { calendarsIn, openObjects, openRows } from './objects/read.ts';
import { conditionsOf, fulfils } from './search/filter.ts';
import { better, findObjects, mayHappen, type FoundObject } from './search/find.ts';
import { happensIn, matchedIn, toFound } from './search/show-found.ts';
import { zoneOfMember } from './zones.ts';

type Contract = typeof search;

/** Where a page ended, and how many results there were until then. */
interface Ended {
  readonly seen: number;
}

type FoundPlace = Omit<FoundObject, 'calendarId'> & Ended;
const byScore: Listing<FoundPlace>['by'] = [
  desc('score', ({ score }) => score),
  desc('at', ({ at }) => at),
  desc('id', ({ id }) => id),
  asc('seen', ({ seen }) => seen),
];

export async function searchEvents(
  ctx: Context,
  { memberId }: Actor,
  input: InputOf<Contract['searchEvents']>,
): Promise<ReplyOf<Contract['searchEvents']>> {
  const { q, limit } = input;
  const calendars = await calendarsIn(ctx, memberId, input.calendarIds);
  const range = await rangeOf(ctx, memberId, input);
  const filter = { q, sought: JSON.stringify([calendars.map(({ id }) => id), input.start, input.end]) };
  const listing = { list: 'calendar.search', memberId, filter, by: byScore };
  const ended = input.cursor === undefined ? undefined : foundAt(readCursor(ctx, listing, input.cursor).values);
  const seen = ended?.seen ?? 0;
  const all = await findObjects(ctx, { memberId, calendars, text: q, range });
  const later = ended === undefined ? all : all.filter((one) => better(ended, one) < 0);
  const byId = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  const words = [...new Set(soughtWords(q))];
  const results: FoundEvent[] = [];
  let last: FoundObject | undefined;
  for (let next = 0; next < later.length; next += limit) {
    const some = later.slice(next, next + limit);
    const objects = await openObjects(
      ctx,
      byId,
      some.map((one) => one.id),
    );
    for (const one of some) {
      const open = objects.get(one.id);
      const calendar = open && byId.get(open.row.calendar_id);
      if (open === undefined || calendar === undefined) continue;
      const fields = matchedIn(open, { memberId, calendar }, words);
      if (fields === undefined || (range !== undefined && !happensIn(open, range))) continue;
      const result = toFound(ctx, open, { memberId, calendar }, { score: one.score, matchedIn: fields });
      if (result === undefined) continue;
      if (results.length === limit && last !== undefined) {
        const place = { ...last, seen: seen + limit };
        return {
          results,
          total: place.seen + 1,
          nextCursor: writeCursor(ctx, listing, place, ctx.clock.now()),
        };
      }
      results.push(result);
      last = one;
    }
  }
  return { results, total: seen + results.length };
}

function foundAt(values: readonly unknown[]): FoundPlace {
  const [score, at, id, seen] = values as [number, number, string, number];
  return { score, at, id, seen };
}

/** @returns undefined without begin and end @throws Problem invalid VALIDATION_ERROR */
async function rangeOf(
  ctx: Context,
  memberId: string,
  { start, end }: { readonly start?: string | undefined; readonly end?: string | undefined },
): Promise<TimeRange | undefined> {
  if (start === undefined && end === undefined) return undefined;
  const zone = await zoneOfMember(ctx, memberId);
  const zones = zonesOf(ctx);
  const from = start === undefined ? Number.MIN_SAFE_INTEGER : momentIn(start, 'start', zone, zones);
  const to = end === undefined ? Number.MAX_SAFE_INTEGER : momentIn(end, 'end', zone, zones);
  if (to <= from) throw fieldProblem('end', 'must be later than the begin');
  return { from, to };
}

type ListedPlace = Pick<CalendarObjectRow, 'calendar_id' | 'change_seq'> & Ended;
const byChange: Listing<ListedPlace>['by'] = [
  asc('calendar_id', (row) => row.calendar_id),
  asc('change_seq', (row) => row.change_seq),
  asc('seen', ({ seen }) => seen),
];

/** Objects that are read at once. */
const TOGETHER = 100;
/** Objects that one request looks at. If there are more, its page has few events, or none, and says where to go on. */
const MOST_READ = 2_000;

const objects = `select o.* from calendar_objects o
  where o.calendar_id = :calendar and o.change_seq > :after and o.component = 'VEVENT'`;
const ordered = `order by o.change_seq limit ${TOGETHER}`;
const anyTime = namedQuery<CalendarObjectRow, 'calendar' | 'after'>(`${objects} ${ordered}`);
const inRange = namedQuery<CalendarObjectRow, 'calendar' | 'after' | 'from' | 'to'>(
  `${objects} and ${mayHappen} ${ordered}`,
);

export async function filterEvents(
  ctx: Context,
  { memberId }: Actor,
  input: InputOf<Contract['filterEvents']>,
): Promise<ReplyOf<Contract['filterEvents']>> {
  const { limit, cursor, ...given } = input;
  const calendars = (await calendarsIn(ctx, memberId, input.calendarId))
    .filter(({ permission }) => permission !== 'freebusy')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const range = await rangeOf(ctx, memberId, input);
  const conditions = await conditionsOf(ctx, input);
  const filter = { sought: JSON.stringify([calendars.map(({ id }) => id), Object.entries(given).toSorted()]) };
  const listing = { list: 'calendar.filter', memberId, filter, by: byChange };
  const begin = cursor === undefined ? first : listedAt(readCursor(ctx, listing, cursor).values);
  const results: FoundEvent[] = [];
  let last: Omit<ListedPlace, 'seen'> | undefined;
  const endedAt = (row: Omit<ListedPlace, 'seen'>) => {
    const place = { ...row, seen: begin.seen + results.length };
    return { results, total: place.seen + 1, nextCursor: writeCursor(ctx, listing, place, ctx.clock.now()) };
  };
  const later = calendars.filter(({ id }) => id >= begin.calendar_id);
  let read = 0;
  for await (const { calendar, row } of rowsOf(ctx, later, begin, range)) {
    if (read === MOST_READ && last !== undefined) return endedAt(last);
    read += 1;
    let result: FoundEvent | undefined;
    openRows(ctx, new Map([[calendar.id, calendar]]), [row], (open) => {
      const reader = { memberId, calendar };
      if (!fulfils(open, reader, conditions) || (range !== undefined && !happensIn(open, range))) return;
      result = toFound(ctx, open, reader, { score: 0, matchedIn: [] });
    });
    if (result !== undefined && results.length === limit && last !== undefined) return endedAt(last);
    if (result !== undefined) results.push(result);
    last = row;
  }
  return { results, total: begin.seen + results.length };
}

const first: ListedPlace = { calendar_id: '', change_seq: -1, seen: 0 };

function listedAt(values: readonly unknown[]): ListedPlace {
  const [calendarId, seq, seen] = values as [string, number, number];
  return { calendar_id: calendarId, change_seq: seq, seen };
}

/** Objects of calendars in their order. */
async function* rowsOf(
  ctx: Context,
  calendars: readonly OpenCalendar[],
  begin: Pick<ListedPlace, 'calendar_id' | 'change_seq'>,
  range: TimeRange | undefined,
): AsyncGenerator<{ readonly calendar: OpenCalendar; readonly row: CalendarObjectRow }> {
  for (const calendar of calendars)
    for (
      let after: number | undefined = calendar.id === begin.calendar_id ? begin.change_seq : -1;
      after !== undefined;
    ) {
      const values: { readonly calendar: string; readonly after: number } = { calendar: calendar.id, after };
      const { rows }: { readonly rows: readonly CalendarObjectRow[] } = await ctx.db.executeQuery(
        range === undefined ? anyTime(values) : inRange({ ...values, ...range }),
      );
      for (const row of rows) yield { calendar, row };
      after = rows.length < TOGETHER ? undefined : rows.at(-1)?.change_seq;
    }
}
