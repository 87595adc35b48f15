import type { Context } from '../../../service/context.ts';
import type { Calendar } from '../../../contract/calendar/calendars.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import type { OpenCalendar } from '../access.ts';
import { toEvent, toInstance } from '../events/dto.ts';
import { componentsWritten, prodid } from '../icalendar/write.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { openRow, type OpenObject } from '../objects/read.ts';
import { openContentKey } from '../own-calendars.ts';
import { openSeries } from '../recurrence/open-series.ts';
import { createTurns } from '../turns.ts';
import { jscalendarEvent, type EventToWrite } from './jscalendar.ts';
import { objectsSeen, rowsOf } from './pages.ts';

export interface Reader {
  readonly memberId: string;
  readonly calendar: OpenCalendar;
}

/** Calendars as JSON, piece by piece. A calendar may be larger than what one text can be. */
export const jsonFormats = {
  async *native(ctx: Context, reader: Reader, calendar: Calendar): AsyncGenerator<Uint8Array> {
    const about = JSON.stringify({ calendar, exportedAt: new Date(ctx.clock.now()).toISOString(), format: 'native' });
    const all = eventsToWrite(ctx, reader);
    yield* listed(`${about.slice(0, -1)},"events":[`, ']}', all, ({ event, changed }) => [event, ...changed]);
  },
  async *jcal(ctx: Context, reader: Reader, { displayName }: Calendar): AsyncGenerator<Uint8Array> {
    const properties = [
      ['version', {}, 'text', '2.0'],
      ['prodid', {}, 'text', prodid],
      ['calscale', {}, 'text', 'GREGORIAN'],
      ['x-wr-calname', {}, 'unknown', displayName],
    ];
    const componentsOf = componentsWritten(zonesOf(ctx));
    yield* listed(`["vcalendar",${JSON.stringify(properties)},[`, ']]', objectsSeen(ctx, reader), componentsOf);
  },
  async *jscalendar(ctx: Context, reader: Reader, calendar: Calendar): AsyncGenerator<Uint8Array> {
    const about = JSON.stringify({
      '@type': 'Group',
      uid: calendar.id,
      prodId: prodid,
      updated: calendar.dateModified,
      title: calendar.displayName,
      ...(calendar.description !== '' && { description: calendar.description }),
      color: calendar.color,
    });
    const all = eventsToWrite(ctx, reader);
    yield* listed(`${about.slice(0, -1)},"entries":[`, ']}', all, (one) => [jscalendarEvent(one)]);
  },
} as const;

async function* listed<T>(
  begin: string,
  end: string,
  all: AsyncIterable<T>,
  each: (one: T) => readonly unknown[],
): AsyncGenerator<Uint8Array> {
  yield utf8(begin);
  let before = '';
  for await (const one of all)
    for (const item of each(one)) {
      yield utf8(`${before}${JSON.stringify(item)}`);
      before = ',\n';
    }
  yield utf8(end);
}

async function* eventsToWrite(ctx: Context, reader: Reader): AsyncGenerator<EventToWrite> {
  const { calendar } = reader;
  const key = openContentKey(ctx, calendar);
  const turns = createTurns();
  try {
    for await (const row of rowsOf(ctx, calendar.id)) {
      await turns.take();
      if (row.component === 'VEVENT') yield* eventsOf(openRow(ctx, calendar, key, row), reader);
    }
  } finally {
    key.fill(0);
  }
}

function* eventsOf(open: OpenObject, reader: Reader): Generator<EventToWrite> {
  const { series, master, zones } = open;
  // Instances that are cancelled are written as such: of a file nobody would know otherwise what was said of them.
  const overrides = series.overrides.map((one) => ({ ...one, cancelled: false }));
  const times = { zones: zones.zones, zone: zones.zone };
  const { replaced, set } = openSeries({ ...series, overrides }, times);
  const changed = [...replaced.values()].flatMap((one) => (one && toInstance(open, one, reader)) ?? []);
  const event = master === undefined ? undefined : toEvent(open, reader);
  if (event !== undefined) yield { event, changed, series, set, reader: times };
  // Instances without their series, as after an invitation to one of them, are events.
  else for (const one of changed) yield { event: one, changed: [], series, set, reader: times };
}
