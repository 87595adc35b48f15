import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertConditions, davRefusal } from '../../../service/dav-matching.ts';
import type { DavConditions, DavGiven, DavWritten } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import { insightOf } from '../events/dto.ts';
import { etagFor } from '../events/seen-etag.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { calendarSpace } from '../indexing.ts';
import { openContent, uidKeyOf } from '../objects/content.ts';
import {
  insertNamed,
  prepareObject,
  prepareReplacement,
  removeObject,
  replacePrepared,
  uidOf,
  type PreparedObject,
} from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import type { DavCalendar } from './collections.ts';
import { scheduleTagOf } from './content.ts';
import { textOf } from './given-object.ts';
import { readObject } from './large-objects.ts';

const byName = writtenQuery<CalendarObjectRow>('select * from calendar_objects where calendar_id = $1 and name = $2');
const byUid = writtenQuery<Pick<CalendarObjectRow, 'name'>>(
  'select name from calendar_objects where calendar_id = $1 and uid_key = $2',
);

interface Place {
  readonly tx: Context;
  readonly calendar: OpenCalendar & { readonly key: Uint8Array };
  /** what is there now */
  readonly found: Found | undefined;
}

export interface Found {
  readonly row: CalendarObjectRow;
  readonly object: JcalComponent;
}

/** Does something at a name of a calendar, in a transaction that has the calendar. @throws Problem as the functions of the port */
async function atName<T>(
  ctx: Context,
  actor: Actor,
  { id, owner_id: ownerId }: OpenCalendar,
  name: string,
  conditions: DavConditions,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireCalendar(tx, actor.memberId, id, 'editor');
    // Whoever changes what counts to one member does so one after another.
    await lockMembers(tx, [ownerId]);
    const calendar = await requireCalendar(tx, actor.memberId, id, 'editor');
    const key = openContentKey(tx, calendar);
    try {
      const found = await objectAt(tx, id, name, key);
      assertConditions(conditions, found && tagsOf({ memberId: actor.memberId, calendar }, found));
      if (found !== undefined) assertMayChange(actor.memberId, calendar, found);
      return await work({ tx, calendar: { ...calendar, key }, found });
    } finally {
      key.fill(0);
    }
  });
}

/** What a calendar has under a name. */
export async function objectAt(tx: Context, id: string, name: string, key: Uint8Array): Promise<Found | undefined> {
  const [row] = (await tx.db.executeQuery(byName(id, name))).rows;
  return row === undefined ? undefined : { row, object: openContent(key, row) };
}

export function tagsOf(reader: { readonly memberId: string; readonly calendar: OpenCalendar }, { row, object }: Found) {
  const scheduleTag = scheduleTagOf(object);
  return { etag: etagFor(reader, row), ...(scheduleTag !== undefined && { scheduleTag }) };
}

/** What an editor does not see whole, the editor does not change either. @throws Problem forbidden FORBIDDEN */
export function assertMayChange(memberId: string, calendar: OpenCalendar, { row, object }: Found): void {
  const own = object[2].filter(([name]) => name !== 'vtimezone');
  if (own.some((component) => insightOf(calendar, memberId, row, component) !== 'all'))
    throw new Problem('forbidden', 'FORBIDDEN', 'This event is private. Only the owner of the calendar can change it.');
}

/**
 * Stores an object under a name. What takes long is done before the transaction, and again if the name has another object meanwhile.
 * @throws Problem as the function of the port
 */
export async function writeNamed(
  ctx: Context,
  actor: Actor,
  collection: DavCalendar,
  name: string,
  { bytes, conditions }: DavGiven,
): Promise<DavWritten> {
  for (;;) {
    const planned = await planOf(ctx, actor, collection, name, bytes);
    const { prepared, object, octets, uid, before } = planned;
    const written = await atName(ctx, actor, planned.calendar, name, conditions, async ({ tx, calendar, found }) => {
      const isSame = calendar.zone === planned.calendar.zone && calendar.owner_id === planned.calendar.owner_id;
      if (!isSame || found?.row.etag !== before?.etag) return undefined;
      await assertUid(tx, calendar.id, uid, { name, found });
      const row =
        found === undefined
          ? await insertNamed(tx, calendar, prepared)
          : await replacePrepared(tx, calendar, found.row, prepared);
      const tags = tagsOf({ memberId: actor.memberId, calendar }, { row, object });
      // A tag names what was sent only if the same is given back.
      return { created: found === undefined, ...(octets !== undefined && tags) };
    });
    if (written !== undefined) return written;
  }
}

interface Planned {
  readonly calendar: OpenCalendar;
  /** what was there */
  readonly before: CalendarObjectRow | undefined;
  readonly object: JcalComponent;
  readonly octets: string | undefined;
  /** key of its UID, which must be that of what it takes the place of */
  readonly uid: string;
  readonly prepared: PreparedObject;
}

/** @throws Problem as the function of the port */
async function planOf(
  ctx: Context,
  { memberId }: Actor,
  { calendar: { id }, components }: DavCalendar,
  name: string,
  bytes: Uint8Array,
): Promise<Planned> {
  const calendar = await requireCalendar(ctx, memberId, id, 'editor');
  const [before] = (await ctx.db.executeQuery(byName(id, name))).rows;
  const now = ctx.clock.now();
  const { id: objectId, created_at: createdAt } = before ?? { id: recordId(now, ctx.random), created_at: now };
  const from = { id: objectId, created_at: createdAt };
  const place = { ...from, calendar_id: id, ownerId: calendar.owner_id };
  const key = openContentKey(ctx, calendar);
  const space = calendarSpace({ id, key });
  try {
    const given = await readObject(ctx, bytes, { place, zone: calendar.zone, space, now });
    const { object, known } = given;
    assertTaken(given.component, components);
    const octets = textOf(bytes);
    const content = { object, known, ...(octets !== undefined && { octets }) };
    const writable = { ...calendar, key };
    const prepared = checked(() =>
      before === undefined
        ? prepareObject(ctx, writable, { ...content, name, createdBy: memberId, from })
        : prepareReplacement(ctx, writable, before, content),
    );
    return { calendar, before, object, octets, uid: uidKeyOf(ctx, uidOf(object)), prepared };
  } finally {
    key.fill(0);
    space.key?.fill(0);
  }
}

/** @throws Problem forbidden FORBIDDEN with `c:supported-calendar-component` */
export function assertTaken(component: string, components: readonly string[]): void {
  if (components.includes(component)) return;
  const message = `This calendar takes ${components.join(', ')}, and no ${component}.`;
  throw davRefusal('forbidden', 'FORBIDDEN', 'c:supported-calendar-component', message);
}

/** A UID is in a calendar once, and stays with its name (RFC 4791 5.3.2.1). @throws Problem conflict CONFLICT */
export async function assertUid(
  tx: Context,
  calendarId: string,
  uid: string,
  { name, found }: { readonly name: string; readonly found: Found | undefined },
): Promise<void> {
  if (found?.row.uid_key === uid) return;
  const [other] = (await tx.db.executeQuery(byUid(calendarId, uid))).rows;
  if (found === undefined && other === undefined) return;
  const message =
    other === undefined
      ? 'The UID of an event cannot be changed. Delete it, and create another one.'
      : 'The calendar has an event with this UID already. Change that one.';
  throw davRefusal('conflict', 'CONFLICT', 'c:no-uid-conflict', message, other?.name ?? name);
}

/** What is wrong with an object is a condition that it does not meet. */
function checked<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'VALIDATION_ERROR') throw error;
    throw davRefusal('forbidden', 'FORBIDDEN', 'c:valid-calendar-object-resource', error.message);
  }
}

/** @throws Problem missing NOT_FOUND, and as the function of the port */
export async function eraseNamed(
  ctx: Context,
  actor: Actor,
  { calendar: known }: DavCalendar,
  name: string,
  conditions: DavConditions,
): Promise<void> {
  await atName(ctx, actor, known, name, conditions, async ({ tx, calendar, found }) => {
    if (found === undefined) throw notThere('event');
    await removeObject(tx, calendar, found.row);
  });
}
