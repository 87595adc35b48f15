import type { Context } from '../../../service/context.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { asc, pageOf, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { CalendarObjectRow, CalendarTombstoneRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { openRows } from '../objects/read.ts';
import { toEvent } from './dto.ts';

/** An event that there is, or was; in the order of the last change of each. */
type Changed = Pick<CalendarObjectRow, 'calendar_id' | 'change_seq'> & {
  readonly row?: CalendarObjectRow;
  readonly gone?: string;
};

const order = [
  asc<Changed>('calendar_id', (row) => row.calendar_id),
  asc<Changed>('change_seq', (row) => row.change_seq),
];

const changes = writtenQuery<CalendarObjectRow>(`
  select * from calendar_objects
  where calendar_id = $1 and change_seq > $2 and component = 'VEVENT' and modified_at > $3
  order by change_seq limit $4`);
const removals = writtenQuery<CalendarTombstoneRow>(`
  select * from calendar_tombstones where calendar_id = $1 and change_seq > $2 order by change_seq limit $3`);

export interface ListedChanges {
  readonly events: Event[];
  /** ids of events that are gone; only since a token */
  readonly deleted: string[];
  readonly next: Next;
  /** for what changes after this; on the last page of one calendar */
  readonly syncToken: string | undefined;
}

export interface Wanted {
  readonly memberId: string;
  readonly calendars: readonly OpenCalendar[];
  readonly updatedSince: number | undefined;
  readonly syncToken: string | undefined;
}

/**
 * Events and series as they are stored, in pages: those changed last come last, so that a reader who goes on misses nothing that changes
 * meanwhile.
 *
 * @throws Problem invalid VALIDATION_ERROR, INVALID_CURSOR; gone SYNC_TOKEN_EXPIRED
 */
export async function listChanges(
  ctx: Context,
  { memberId, calendars: all, updatedSince, syncToken }: Wanted,
  request: PageRequest,
): Promise<ListedChanges> {
  // Whoever sees only when time is taken sees no event.
  const calendars = all
    .filter(({ permission }) => permission !== 'freebusy')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const [only] = calendars;
  const since = syncToken === undefined ? undefined : sinceOf(calendars, syncToken);
  const filter = { calendars: calendars.map(({ id }) => id).join(), updatedSince, syncToken };
  const listing = { list: 'calendar.changes', memberId, filter, by: order };
  const { rows, next } = await pageOf(ctx, listing, request, async ({ values }, most = calendarLimits.mostOnPage) => {
    const [calendarId = '', seq = since ?? -1] = values;
    const found: Changed[] = [];
    for (const { id } of calendars) {
      if (id < String(calendarId) || found.length >= most) continue;
      const from = (id === calendarId || calendarId === '') && typeof seq === 'number' ? seq : -1;
      found.push(
        ...(await changesOf(ctx, id, from, { most: most - found.length, updatedSince, withGone: since !== undefined })),
      );
    }
    return found;
  });
  const events: Event[] = [];
  const byId = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  const there = rows.flatMap(({ row }) => row ?? []);
  openRows(ctx, byId, there, (open) => {
    const calendar = byId.get(open.row.calendar_id);
    const event = calendar && toEvent(open, { memberId, calendar });
    if (event !== undefined) events.push(event);
  });
  return {
    events,
    deleted: rows.flatMap(({ gone }) => gone ?? []),
    next,
    syncToken:
      !next.hasMore && only !== undefined && calendars.length === 1
        ? tokenOf(only, rows.at(-1)?.change_seq)
        : undefined,
  };
}

interface Reading {
  readonly most: number;
  readonly updatedSince: number | undefined;
  readonly withGone: boolean;
}

async function changesOf(
  { db }: Context,
  calendarId: string,
  from: number,
  { most, updatedSince = -1, withGone }: Reading,
): Promise<Changed[]> {
  const { rows } = await db.executeQuery(changes(calendarId, from, updatedSince, most));
  const found = rows.map((row): Changed => ({ calendar_id: calendarId, change_seq: row.change_seq, row }));
  if (!withGone) return found;
  const gone = await db.executeQuery(removals(calendarId, from, most));
  for (const { change_seq: seq, object_id: id } of gone.rows)
    found.push({ calendar_id: calendarId, change_seq: seq, gone: id });
  return found.sort((a, b) => a.change_seq - b.change_seq).slice(0, most);
}

/** A token names a calendar and the last change of it that its reader has. */
function tokenOf({ id, change_seq: now }: OpenCalendar, last = 0): string {
  return `${id}.${Math.max(now, last)}`;
}

function sinceOf(calendars: readonly OpenCalendar[], token: string): number {
  const [only] = calendars;
  if (calendars.length !== 1 || only === undefined)
    throw fieldProblem('syncToken', 'is for one calendar: give calendarId too');
  const [, id, digits] = /^([0-9a-f]{32})\.(\d{1,15})$/.exec(token) ?? [];
  const seq = wholeNumber(digits, only.change_seq);
  if (id !== only.id || seq === undefined) throw fieldProblem('syncToken', 'is not one of this calendar');
  if (seq < only.forgotten_seq)
    throw new Problem('gone', 'SYNC_TOKEN_EXPIRED', 'The syncToken is too old. List everything again, without one.');
  return seq;
}
