import type { Context } from '../../../service/context.ts';
import { calendarLimits, type Visibility } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { freeStorage, takeStorage } from '../../../shared/members/storage.ts';
import { propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';
import { indexObject, unindexObject } from '../indexing.ts';
import { removeProposals } from '../invitations/rows.ts';
import { planReminders, removeReminders } from '../reminders/plan.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { etagOf, sealContent, uidKeyOf } from './content.ts';
import { insertInstances, removeInstances, replaceInstances } from './instance-rows.ts';
import { visibilityOf, writtenInstances, type WrittenInstances } from './instances.ts';
import { zonesOf, zonesOfObject, zonesVersion } from './known-zones.ts';

/** A calendar that is written to. @field key of its content, 32 bytes; the caller overwrites it */
export interface WritableCalendar extends Pick<CalendarRow, 'id' | 'owner_id' | 'zone'> {
  readonly key: Uint8Array;
}

export interface NewObject {
  readonly object: JcalComponent;
  /** of the resource; without it, of the id */
  readonly name?: string;
  /** the text as a program sent it */
  readonly octets?: string;
  readonly createdBy: string;
}

/**
 * Adds an object to a calendar, with its instances. It takes storage of the owner, then the calendar, and then writes rows: all who write to a
 * calendar do so in this order.
 *
 * @throws Problem conflict CONFLICT for a UID or name that the calendar has, EVENTS_FULL; tooLarge STORAGE_QUOTA_EXCEEDED; invalid
 *   VALIDATION_ERROR for an object that is too large or a rule that takes too much work
 */
export async function insertObject(
  tx: Context,
  calendar: WritableCalendar,
  { object, octets, createdBy, ...more }: NewObject,
): Promise<CalendarObjectRow> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const place = { id, calendar_id: calendar.id };
  const { name = `${id}.ics` } = more;
  const content = sealed(tx, calendar, place, object, octets);
  const instances = instancesOf(tx, calendar, place, object);
  await takeStorage(tx, calendar.owner_id, content.bytes);
  const seq = await nextChange(tx, calendar.id, 1);
  const row: CalendarObjectRow = {
    ...place,
    name,
    uid_key: uidKeyOf(uidOf(object)),
    ...facts(object),
    etag: etagOf(content.text, seq),
    change_seq: seq,
    sealed: content.sealed,
    octets: content.octets,
    bytes: content.bytes,
    created_by: createdBy,
    zones: zonesVersion,
    written_from: instances.written_from,
    written_to: instances.written_to,
    created_at: now,
    modified_at: now,
  };
  await assertFree(tx, row);
  await insertRows(tx.db, 'calendar_objects', [row]);
  await insertInstances(tx, instances.rows);
  await planReminders(tx, calendar, row, object, instances.rows);
  await indexObject(tx, calendar.key, row, object);
  await tx.db.executeQuery(forgetTombstone(calendar.id, name));
  return row;
}

const update = writtenQuery(`
  update calendar_objects set component = $1, visibility = $2, etag = $3, change_seq = $4, sealed = $5, octets = $6,
    bytes = $7, zones = $8, written_from = $9, written_to = $10, modified_at = $11 where id = $12`);

/** Puts another content in the place of an object's. Its UID and its name stay. @throws Problem as insertObject() */
export async function replaceObject(
  tx: Context,
  calendar: WritableCalendar,
  before: CalendarObjectRow,
  { object, octets }: Pick<NewObject, 'object' | 'octets'>,
): Promise<CalendarObjectRow> {
  const content = sealed(tx, calendar, before, object, octets);
  const instances = instancesOf(tx, calendar, before, object);
  await takeStorage(tx, calendar.owner_id, content.bytes - before.bytes);
  const seq = await nextChange(tx, calendar.id, 0);
  const row: CalendarObjectRow = {
    ...before,
    ...facts(object),
    etag: etagOf(content.text, seq),
    change_seq: seq,
    sealed: content.sealed,
    octets: content.octets,
    bytes: content.bytes,
    zones: zonesVersion,
    written_from: instances.written_from,
    written_to: instances.written_to,
    modified_at: tx.clock.now(),
  };
  await tx.db.executeQuery(
    update(
      row.component,
      row.visibility,
      row.etag,
      row.change_seq,
      row.sealed,
      row.octets,
      row.bytes,
      row.zones,
      row.written_from,
      row.written_to,
      row.modified_at,
      row.id,
    ),
  );
  await replaceInstances(tx, row.id, instances.rows);
  await planReminders(tx, calendar, row, object, instances.rows);
  await indexObject(tx, calendar.key, row, object);
  return row;
}

const remove = writtenQuery('delete from calendar_objects where id = $1');
const entomb = `
  on conflict (calendar_id, name) do update
  set object_id = excluded.object_id, change_seq = excluded.change_seq, deleted_at = excluded.deleted_at`;

/** Removes an object. Programs that keep a copy of the calendar hear of it for 90 days. */
export async function removeObject(
  tx: Context,
  { owner_id: ownerId }: Pick<CalendarRow, 'owner_id'>,
  { id, calendar_id: calendarId, name, bytes }: CalendarObjectRow,
): Promise<void> {
  await freeStorage(tx, ownerId, bytes);
  const seq = await nextChange(tx, calendarId, -1);
  await removeInstances(tx, id);
  await removeReminders(tx, [id]);
  await removeProposals(tx, [id]);
  await unindexObject(tx, { id, calendar_id: calendarId });
  await tx.db.executeQuery(remove(id));
  const tombstone = { calendar_id: calendarId, name, object_id: id, change_seq: seq, deleted_at: tx.clock.now() };
  await insertRows(tx.db, 'calendar_tombstones', [tombstone], entomb);
}

const forgetTombstone = writtenQuery('delete from calendar_tombstones where calendar_id = $1 and name = $2');
const count = writtenQuery<Pick<CalendarRow, 'change_seq' | 'objects'>>(`
  update calendars set change_seq = change_seq + 1, objects = objects + $1 where id = $2 returning change_seq, objects`);

/**
 * The number of the next change of a calendar. Whoever has it keeps others from changing the calendar until the transaction ends.
 * @throws Problem conflict EVENTS_FULL
 */
async function nextChange(tx: Context, calendarId: string, more: -1 | 0 | 1): Promise<number> {
  const { change_seq: seq, objects } = onlyRow((await tx.db.executeQuery(count(more, calendarId))).rows);
  if (more === 1 && objects > calendarLimits.events)
    throw new Problem(
      'conflict',
      'EVENTS_FULL',
      `The calendar has ${calendarLimits.events} events, the most there can be. Delete some, or use another calendar.`,
    );
  return seq;
}

const taken = writtenQuery<{ id: string }>(`
  select id from calendar_objects where calendar_id = $1 and uid_key = $2
  union all select id from calendar_objects where calendar_id = $1 and name = $3`);

async function assertFree(tx: Context, row: CalendarObjectRow): Promise<void> {
  const { rows } = await tx.db.executeQuery(taken(row.calendar_id, row.uid_key, row.name));
  if (rows.length > 0)
    throw new Problem('conflict', 'CONFLICT', 'The calendar has an event with this UID already. Change that one.');
}

type Place = Pick<CalendarObjectRow, 'id' | 'calendar_id'>;

function sealed(
  tx: Context,
  { key }: WritableCalendar,
  place: Place,
  object: JcalComponent,
  given: string | undefined,
) {
  const text = JSON.stringify(object);
  const content = sealContent(tx, key, place, 'object', text);
  const octets = given === undefined ? null : sealContent(tx, key, place, 'octets', given);
  if (content.length > calendarLimits.eventBytes) throw fieldProblem('event', 'is larger than 1 MiB');
  return { text, sealed: content, octets, bytes: content.length + (octets?.length ?? 0) };
}

function instancesOf(
  tx: Context,
  { zone, owner_id: ownerId }: WritableCalendar,
  place: Place,
  object: JcalComponent,
): WrittenInstances {
  try {
    return writtenInstances({ ...place, ownerId }, object, zonesOfObject(zonesOf(tx), zone, object), tx.clock.now());
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw fieldProblem('rrule', error.message, { cause: error });
  }
}

/** What of an object stands in its row. */
function facts([, , components]: JcalComponent): Pick<CalendarObjectRow, 'component' | 'visibility'> {
  const own = components.filter(([name]) => name !== 'vtimezone');
  const strictest = own.map(visibilityOf).toSorted((a, b) => strictness[b] - strictness[a])[0] ?? 'PUBLIC';
  return { component: (own[0]?.[0] ?? 'vevent').toUpperCase(), visibility: strictest };
}

const strictness: Readonly<Record<Visibility, number>> = { PUBLIC: 0, CONFIDENTIAL: 1, PRIVATE: 2 };

/** The UID of all components of an object. */
export function uidOf([, , components]: JcalComponent): string {
  const own = components.find(([name]) => name !== 'vtimezone');
  return own === undefined ? '' : textOf(propertyOf(own, 'uid'));
}
