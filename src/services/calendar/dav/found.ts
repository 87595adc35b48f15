import type { Context } from '../../../service/context.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { openContent } from '../objects/content.ts';

/** What a calendar has under a name, open. */
export interface Found {
  readonly row: CalendarObjectRow;
  readonly object: JcalComponent;
}

const byName = writtenQuery<CalendarObjectRow>('select * from calendar_objects where calendar_id = $1 and name = $2');

export async function rowAt(
  { db }: Pick<Context, 'db'>,
  id: string,
  name: string,
): Promise<CalendarObjectRow | undefined> {
  return (await db.executeQuery(byName(id, name))).rows[0];
}

/** What a calendar has under a name. @param key of the calendar, 32 bytes */
export async function objectAt(tx: Context, id: string, name: string, key: Uint8Array): Promise<Found | undefined> {
  const row = await rowAt(tx, id, name);
  return row === undefined ? undefined : { row, object: openContent(key, row) };
}
