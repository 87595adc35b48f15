import type { Context } from '../../../service/context.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { calendarsOf, notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { openContentKey } from '../own-calendars.ts';
import { openContent } from './content.ts';
import { zonesOf, zonesOfObject, type ObjectZones } from './known-zones.ts';
import { seriesOf, type ObjectSeries } from './series.ts';

/** An object that is open, with the calendar that it is in. */
export interface OpenObject extends ObjectSeries {
  readonly row: CalendarObjectRow;
  readonly object: JcalComponent;
  readonly zones: ObjectZones;
}

const byIds = writtenList<CalendarObjectRow>(0, (ids) => `select * from calendar_objects where id in ${ids}`);

/** Objects by their ids, opened under the keys of their calendars. Those that are gone are missing. */
export async function openObjects(
  ctx: Context,
  calendars: ReadonlyMap<string, OpenCalendar>,
  ids: readonly string[],
): Promise<Map<string, OpenObject>> {
  const found = new Map<string, OpenObject>();
  if (ids.length === 0) return found;
  const { rows } = await ctx.db.executeQuery(byIds([...new Set(ids)]));
  openRows(ctx, calendars, rows, (open) => found.set(open.row.id, open));
  return found;
}

/** Opens rows one after another. Rows of other calendars are left out. */
export function openRows(
  ctx: Context,
  calendars: ReadonlyMap<string, OpenCalendar>,
  rows: readonly CalendarObjectRow[],
  each: (open: OpenObject) => unknown,
): void {
  const keys = new Map<string, Uint8Array>();
  try {
    for (const row of rows) {
      const calendar = calendars.get(row.calendar_id);
      if (calendar === undefined) continue;
      const key = keys.get(calendar.id) ?? openContentKey(ctx, calendar);
      keys.set(calendar.id, key);
      each(openRow(ctx, calendar, key, row));
    }
  } finally {
    for (const key of keys.values()) key.fill(0);
  }
}

/** @param key of the calendar, 32 bytes */
export function openRow(
  ctx: Context,
  calendar: Pick<OpenCalendar, 'zone'>,
  key: Uint8Array,
  row: CalendarObjectRow,
): OpenObject {
  return openAs(ctx, calendar, row, openContent(key, row));
}

/** A row whose content is known. */
export function openAs(
  ctx: Context,
  calendar: Pick<OpenCalendar, 'zone'>,
  row: CalendarObjectRow,
  object: JcalComponent,
): OpenObject {
  const zones = zonesOfObject(zonesOf(ctx), calendar.zone, object);
  return { row, object, zones, ...seriesOf(object, zones) };
}

/** The two halves of an id: of the object, and of its instance if it is one. */
export function splitId(id: string): { readonly objectId: string; readonly occurrence: string | undefined } {
  const [objectId = '', occurrence] = id.toLowerCase().split('_');
  return { objectId, occurrence: occurrence?.toUpperCase() };
}

const byId = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1');

/**
 * An object that the member may use in this way.
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN
 */
export async function requireObject(
  ctx: Context,
  memberId: string,
  objectId: string,
  needed: 'viewer' | 'editor',
): Promise<{ readonly calendar: OpenCalendar; readonly row: CalendarObjectRow }> {
  const { rows } = await ctx.db.executeQuery(byId(objectId));
  const [row] = rows;
  if (row === undefined) throw notThere('event');
  const calendar = await visibleCalendar(ctx, memberId, row.calendar_id, needed);
  return { calendar, row };
}

/** Whoever sees of a calendar only when time is taken knows of no event of it. */
async function visibleCalendar(
  ctx: Context,
  memberId: string,
  calendarId: string,
  needed: 'viewer' | 'editor',
): Promise<OpenCalendar> {
  try {
    const calendar = await requireCalendar(ctx, memberId, calendarId, 'freebusy');
    if (calendar.permission === 'freebusy') throw notThere('event');
    return needed === 'viewer' ? calendar : await requireCalendar(ctx, memberId, calendarId, needed);
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'NOT_FOUND' ? notThere('event') : error;
  }
}

/** The calendars that a request is about. @throws Problem missing NOT_FOUND for one that the member does not see */
export async function calendarsIn(
  ctx: Context,
  memberId: string,
  wanted: readonly string[] | string | undefined,
): Promise<OpenCalendar[]> {
  const all = await calendarsOf(ctx, memberId);
  if (wanted === undefined) return all;
  const ids = new Set([wanted].flat());
  const found = all.filter(({ id }) => ids.has(id));
  if (found.length < ids.size) throw notThere();
  return found;
}
