import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { redacted } from '../events/redact.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { openContent } from '../objects/content.ts';
import { openContentKey } from '../own-calendars.ts';
import { createTurns } from '../turns.ts';

/** Objects that are read at a time. Most have some kB; the largest 1 MiB. */
const TOGETHER = 200;
/** and bytes of them */
const BYTES = 4 * 1024 ** 2;

const some = writtenQuery<Pick<CalendarObjectRow, 'id' | 'bytes'>>(
  'select id, bytes from calendar_objects where calendar_id = $1 and id > $2 order by id limit $3',
);
const between = writtenQuery<CalendarObjectRow>(
  'select * from calendar_objects where calendar_id = $1 and id > $2 and id <= $3 order by id',
);

/**
 * All objects of a calendar in the order of their ids, while they are sent. One that is added or removed meanwhile may be among them or not.
 */
export async function* rowsOf(ctx: Context, calendarId: string): AsyncGenerator<CalendarObjectRow> {
  for (let after = ''; ;) {
    const { rows: next } = await ctx.db.executeQuery(some(calendarId, after, TOGETHER));
    let bytes = 0;
    const last = next.find(({ bytes: own }, index) => {
      bytes += own;
      return bytes >= BYTES || index === next.length - 1;
    });
    if (last === undefined) return;
    const { rows } = await ctx.db.executeQuery(between(calendarId, after, last.id));
    yield* rows;
    after = last.id;
    await nextTurn();
  }
}

/** The same as its reader sees them. */
export async function* objectsSeen(
  ctx: Context,
  reader: { readonly memberId: string; readonly calendar: OpenCalendar },
): AsyncGenerator<JcalComponent> {
  const { calendar } = reader;
  const key = openContentKey(ctx, calendar);
  const turns = createTurns();
  try {
    for await (const row of rowsOf(ctx, calendar.id)) {
      const object = redacted(reader, row, openContent(key, row));
      if (object !== undefined) yield object;
      await turns.take();
    }
  } finally {
    key.fill(0);
  }
}
