import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { assertStorageLeft } from '../../../shared/members/storage.ts';
import type { OpenCalendar } from '../access.ts';
import { insightOf } from '../events/dto.ts';
import { openContent } from '../objects/content.ts';
import { insertPrepared, replaceObject, type PreparedObject, type WritableCalendar } from '../objects/write.ts';
import type { Planned } from './import-objects.ts';
import type { Notes } from './notes.ts';

export type Stored = Pick<CalendarObjectRow, 'id' | 'uid_key' | 'etag' | 'component'>;

const byUid = writtenList<Stored>(
  1,
  (keys) => `
  select id, uid_key, etag, component from calendar_objects where calendar_id = $1 and uid_key in ${keys}`,
);

/** What a calendar has of these UIDs, by their keys. */
export async function objectsBy(
  { db }: Pick<Context, 'db'>,
  calendarId: string,
  keys: readonly string[],
): Promise<Map<string, Stored>> {
  if (keys.length === 0) return new Map();
  const { rows } = await db.executeQuery(byUid(keys, calendarId));
  return new Map(rows.map((row) => [row.uid_key, row]));
}

/** Problems of a single event. All else ends the import. */
const own: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'EVENTS_FULL',
  'STORAGE_QUOTA_EXCEEDED',
  'FORBIDDEN',
  'CONFLICT',
]);

/** Writes what was planned, and notes what came of it. */
export async function writeAll(
  tx: Context,
  calendar: OpenCalendar & WritableCalendar,
  memberId: string,
  planned: readonly Planned[],
  notes: Notes,
): Promise<void> {
  const added: PreparedObject[] = [];
  let bytes = 0;
  const whole = planned.reduce((sum, one) => sum + (one.as === 'imported' ? one.prepared.row.bytes : 0), 0);
  for (const one of planned)
    if (one.as === 'overwritten') await alone(notes, one, () => overwrite(tx, calendar, memberId, one));
  const fits = await isRoomFor(tx, calendar, whole);
  for (const one of planned) {
    const { read } = one;
    notes.said(read);
    if (one.as === 'skipped') notes.count('skipped', read, true);
    else if (one.as === 'failed' && one.problem !== undefined) notes.failed(read, one.problem);
    else if (one.as === 'failed') notes.count('failed', read);
    else if (one.as === 'imported')
      await alone(notes, one, async () => {
        assertRoom(calendar.objects + added.length);
        if (!fits) await assertStorageLeft(tx, calendar.owner_id, bytes + one.prepared.row.bytes);
        bytes += one.prepared.row.bytes;
        added.push(one.prepared);
      });
  }
  await insertPrepared(tx, calendar, added);
}

async function alone(
  notes: Notes,
  one: Extract<Planned, { as: 'imported' | 'overwritten' }>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
    notes.count(one.as, one.read, one.as === 'overwritten' || one.isDuplicate);
  } catch (error) {
    if (!(error instanceof Problem) || !own.has(error.code)) throw error;
    notes.failed(one.read, error);
  }
}

async function isRoomFor(tx: Context, { owner_id: ownerId }: OpenCalendar, bytes: number): Promise<boolean> {
  try {
    await assertStorageLeft(tx, ownerId, bytes);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'STORAGE_QUOTA_EXCEEDED') return false;
    throw error;
  }
}

const byId = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1');

/** @throws Problem forbidden FORBIDDEN, conflict CONFLICT, and as replaceObject() */
async function overwrite(
  tx: Context,
  calendar: OpenCalendar & WritableCalendar,
  memberId: string,
  { object, there }: Extract<Planned, { as: 'overwritten' }>,
): Promise<void> {
  if (there.component !== object.component)
    throw new Problem('conflict', 'CONFLICT', `The calendar has a ${there.component} with this UID.`);
  const { rows } = await tx.db.executeQuery(byId(there.id));
  const [row] = rows;
  if (row === undefined) throw new Error('an event is gone that was just there');
  const [, , components] = openContent(calendar.key, row);
  const before = components.filter(([name]) => name !== 'vtimezone');
  if (before.some((one) => insightOf(calendar, memberId, row, one) !== 'all'))
    throw new Problem('forbidden', 'FORBIDDEN', 'This event is private. Only the owner of the calendar can change it.');
  await replaceObject(tx, calendar, row, { object: object.jcal });
}

/** Before anything is written, because a transaction that failed could not go on. @throws Problem conflict EVENTS_FULL */
function assertRoom(events: number): void {
  if (events < calendarLimits.events) return;
  const message = `The calendar has ${calendarLimits.events} events, the most there can be.`;
  throw new Problem('conflict', 'EVENTS_FULL', message);
}
