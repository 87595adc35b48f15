import type { Context } from '../../../service/context.ts';
import { calendarLimits, type Visibility } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { IndexedDocument, SearchSpace } from '../../../platform/store/search/document.ts';
import { putDocument, putDocuments } from '../../../platform/store/search/documents.ts';
import type { CalendarReminderRow } from '../../../platform/store/tables/calendar-invitations.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, onlyRow, writtenQuery } from '../../../platform/store/written-query.ts';
import { freeStorage, takeStorage } from '../../../shared/members/storage.ts';
import { propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';
import { documentOf, unindexObject } from '../indexing.ts';
import { removeProposals } from '../invitations/rows.ts';
import { putReminders, remindersFor, removeReminders, replaceReminders } from '../reminders/plan.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { newEtag, sealContent, uidKeyOf } from './content.ts';
import { insertInstances, removeInstances, replaceInstances } from './run-rows.ts';
import { visibilityOf, writtenInstances, type WrittenInstances } from './instances.ts';
import { zonesOf, zonesOfObject, zonesVersion } from './known-zones.ts';
import type { EventInstance } from './runs.ts';

/** Rows of one statement. */
const TOGETHER = 16;

/** A calendar that is written to. */
export interface WritableCalendar extends Pick<CalendarRow, 'id' | 'owner_id' | 'zone'> {
  /** of its content, 32 bytes; the caller overwrites it */
  readonly key: Uint8Array;
  /** where its words are, for whoever writes many objects; the caller overwrites its key */
  readonly space?: SearchSpace;
}

export interface NewObject {
  readonly object: JcalComponent;
  /** of the resource; without it, of the id */
  readonly name?: string;
  /** the text as a program sent it */
  readonly octets?: string | undefined;
  /** where it says what the content is; another one each time without it */
  readonly etag?: string | undefined;
  /** of its UID, where it is known */
  readonly uidKey?: string;
  readonly createdBy: string;
  /** of an object that comes from another calendar */
  readonly from?: Pick<CalendarObjectRow, 'id' | 'created_at'>;
  /** what somebody has found out already of this object under this id, as readObject() does in a thread */
  readonly known?: KnownOfObject;
}

/** What takes long to find out of an object. */
export interface KnownOfObject {
  readonly instances: WrittenInstances;
  readonly document: IndexedDocument;
}

type Content = Pick<NewObject, 'object' | 'octets' | 'known' | 'etag'>;

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
  given: NewObject,
): Promise<CalendarObjectRow> {
  return await insertNamed(tx, calendar, prepareObject(tx, calendar, given));
}

/** Adds an object that is prepared already. @throws Problem conflict, tooLarge as insertObject() */
export async function insertNamed(
  tx: Context,
  calendar: Pick<CalendarRow, 'id' | 'owner_id'>,
  prepared: PreparedObject,
): Promise<CalendarObjectRow> {
  // Statements that are begun together run in this order, and a database server answers them in one go.
  const [, seq] = await Promise.all([
    takeStorage(tx, calendar.owner_id, prepared.row.bytes),
    nextChange(tx, calendar.id, 1),
    assertFree(tx, prepared.row),
  ]);
  const row = rowAt(prepared, seq);
  await Promise.all([
    insertRows(tx.db, 'calendar_objects', [row]),
    insertInstances(tx, prepared.instances),
    putReminders(tx, prepared.reminders),
    putDocument(tx.db, prepared.document),
    tx.db.executeQuery(forgetTombstone(calendar.id, row.name)),
  ]);
  return row;
}

/** All of a new object but its place among the changes of its calendar. */
export interface PreparedObject {
  readonly row: Omit<CalendarObjectRow, 'change_seq'>;
  readonly instances: readonly EventInstance[];
  readonly reminders: readonly CalendarReminderRow[];
  /** what the search finds it by */
  readonly document: IndexedDocument;
}

/**
 * The costly part of adding an object, which needs no transaction: a rule is followed, and the content sealed.
 * @throws Problem invalid VALIDATION_ERROR for an object that is too large or a rule that takes too much work
 */
export function prepareObject(
  ctx: Context,
  calendar: WritableCalendar,
  { createdBy, ...more }: NewObject,
): PreparedObject {
  const now = ctx.clock.now();
  const { from = { id: recordId(now, ctx.random), created_at: now } } = more;
  const place = { id: from.id, calendar_id: calendar.id };
  const { name = `${from.id}.ics`, uidKey = uidKeyOf(ctx, uidOf(more.object)) } = more;
  const content = prepareContent(ctx, calendar, place, from.created_at, more);
  const { facts: known, instances, reminders, document } = content;
  return {
    instances,
    reminders,
    document,
    row: {
      ...place,
      name,
      uid_key: uidKey,
      ...known,
      created_by: createdBy,
      created_at: from.created_at,
      modified_at: now,
    },
  };
}

function prepareContent(
  ctx: Context,
  calendar: WritableCalendar,
  place: Place,
  createdAt: number,
  { object, octets, known, etag = newEtag(ctx) }: Content,
) {
  const content = sealed(ctx, calendar, place, object, octets);
  const { rows: instances, ...written } = known?.instances ?? instancesOf(ctx, calendar, place, object);
  return {
    facts: {
      ...facts(object),
      etag,
      sealed: content.sealed,
      octets: content.octets,
      bytes: content.bytes,
      zones: zonesVersion,
      ...written,
    },
    instances,
    reminders: remindersFor(ctx, calendar, place.id, object, instances),
    document: known?.document ?? documentOf(calendar, { id: place.id, created_at: createdAt }, object),
  };
}

function rowAt({ row }: PreparedObject, seq: number): CalendarObjectRow {
  return { ...row, change_seq: seq };
}

/**
 * Adds several objects, with few statements. Nobody chose their names, and the calendar has none of their UIDs, which differ.
 * @throws Problem conflict EVENTS_FULL; tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function insertPrepared(
  tx: Context,
  calendar: Pick<CalendarRow, 'id' | 'owner_id'>,
  all: readonly PreparedObject[],
): Promise<void> {
  if (all.length === 0) return;
  const bytes = all.reduce((sum, { row }) => sum + row.bytes, 0);
  await takeStorage(tx, calendar.owner_id, bytes);
  const last = await nextChange(tx, calendar.id, all.length);
  const rows = all.map((one, index) => rowAt(one, last - all.length + 1 + index));
  for (let at = 0; at < rows.length; at += TOGETHER)
    await insertRows(tx.db, 'calendar_objects', rows.slice(at, at + TOGETHER));
  await insertInstances(
    tx,
    all.flatMap(({ instances }) => instances),
  );
  await putReminders(
    tx,
    all.flatMap(({ reminders }) => reminders),
  );
  await putDocuments(
    tx.db,
    all.map(({ document }) => document),
  );
}

const update = writtenQuery(`
  update calendar_objects set component = $1, visibility = $2, etag = $3, change_seq = $4, sealed = $5, octets = $6,
    bytes = $7, zones = $8, written_from = $9, written_to = $10, modified_at = $11 where id = $12`);

/** Puts another content in the place of an object's. Its UID and its name stay. @throws Problem as insertObject() */
export async function replaceObject(
  tx: Context,
  calendar: WritableCalendar,
  before: CalendarObjectRow,
  given: Content,
): Promise<CalendarObjectRow> {
  return await replacePrepared(tx, calendar, before, prepareReplacement(tx, calendar, before, given));
}

/**
 * The costly part of replacing the content of an object, which needs no transaction.
 * @throws Problem as prepareObject()
 */
export function prepareReplacement(
  ctx: Context,
  calendar: WritableCalendar,
  before: CalendarObjectRow,
  given: Content,
): PreparedObject {
  const { change_seq: _, ...row } = before;
  const { created_at: createdAt } = before;
  const { facts: now, ...prepared } = prepareContent(ctx, calendar, before, createdAt, given);
  return { ...prepared, row: { ...row, ...now, modified_at: ctx.clock.now() } };
}

/**
 * @param before the row as it is now
 * @throws Problem tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function replacePrepared(
  tx: Context,
  calendar: Pick<CalendarRow, 'id' | 'owner_id'>,
  before: CalendarObjectRow,
  replacement: PreparedObject,
): Promise<CalendarObjectRow> {
  await takeStorage(tx, calendar.owner_id, replacement.row.bytes - before.bytes);
  const row = rowAt(replacement, await nextChange(tx, calendar.id, 0));
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
  await replaceInstances(tx, row.id, replacement.instances);
  await replaceReminders(tx, row.id, replacement.reminders);
  await putDocument(tx.db, replacement.document);
  return row;
}

const remove = writtenQuery('delete from calendar_objects where id = $1');
const entomb = `
  on conflict (calendar_id, name) do update
  set object_id = excluded.object_id, change_seq = excluded.change_seq, deleted_at = excluded.deleted_at`;

/** Removes an object. Programs that keep a copy of the calendar hear of it for 90 days. */
export async function removeObject(
  tx: Context,
  calendar: Pick<CalendarRow, 'owner_id'>,
  row: CalendarObjectRow,
): Promise<void> {
  await takeOut(tx, calendar, row);
  await removeProposals(tx, [row.id]);
}

async function takeOut(
  tx: Context,
  { owner_id: ownerId }: Pick<CalendarRow, 'owner_id'>,
  { id, calendar_id: calendarId, name, bytes }: CalendarObjectRow,
): Promise<void> {
  await freeStorage(tx, ownerId, bytes);
  const seq = await nextChange(tx, calendarId, -1);
  await removeInstances(tx, id);
  await removeReminders(tx, [id]);
  await unindexObject(tx, { id, calendar_id: calendarId });
  await tx.db.executeQuery(remove(id));
  const tombstone = { calendar_id: calendarId, name, object_id: id, change_seq: seq, deleted_at: tx.clock.now() };
  await insertRows(tx.db, 'calendar_tombstones', [tombstone], entomb);
}

const lock = writtenQuery('update calendars set change_seq = change_seq where id = $1');
const named = writtenQuery<{ id: string }>('select id from calendar_objects where calendar_id = $1 and name = $2');

/**
 * Puts an object with its id into another calendar. Of the first calendar it is removed. The caller has locked the owners of both.
 * @throws Problem as insertObject()
 */
export async function moveObject(
  tx: Context,
  from: Pick<CalendarRow, 'id' | 'owner_id'>,
  to: WritableCalendar,
  before: CalendarObjectRow,
  { name: wanted, ...content }: Content & Pick<NewObject, 'name'>,
): Promise<CalendarObjectRow> {
  // Whoever moves another one the other way waits, rather than has the one calendar and wants the other.
  for (const id of [from.id, to.id].toSorted()) await tx.db.executeQuery(lock(id));
  await takeOut(tx, from, before);
  const { rows } = wanted === undefined ? await tx.db.executeQuery(named(to.id, before.name)) : { rows: [] };
  const name = rows.length === 0 ? { name: wanted ?? before.name } : {};
  return await insertObject(tx, to, { ...content, createdBy: before.created_by, from: before, ...name });
}

const forgetTombstone = writtenQuery('delete from calendar_tombstones where calendar_id = $1 and name = $2');
const count = writtenQuery<Pick<CalendarRow, 'change_seq' | 'objects'>>(`
  update calendars set change_seq = change_seq + $1, objects = objects + $2 where id = $3 returning change_seq, objects`);

/**
 * The number of the next change of a calendar; of several, that of the last one. Whoever has it keeps others from changing the calendar until the transaction ends.
 * @throws Problem conflict EVENTS_FULL
 */
async function nextChange(tx: Context, calendarId: string, more: number): Promise<number> {
  const { change_seq: seq, objects } = onlyRow(
    (await tx.db.executeQuery(count(Math.max(1, more), more, calendarId))).rows,
  );
  if (more > 0 && objects > calendarLimits.events)
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

async function assertFree(tx: Context, row: PreparedObject['row']): Promise<void> {
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
  const content = sealContent(tx, key, place, 'object', JSON.stringify(object));
  const octets = given === undefined ? null : sealContent(tx, key, place, 'octets', given);
  if (content.length > calendarLimits.eventBytes) throw fieldProblem('event', 'is larger than 1 MiB');
  return { sealed: content, octets, bytes: content.length + (octets?.length ?? 0) };
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
