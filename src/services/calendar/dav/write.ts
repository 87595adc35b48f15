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
import { propertyOf, type JcalComponent } from '../icalendar/jcal.ts';
import { ownPrefix } from '../icalendar/text/lines-of-property.ts';
import { calendarSpace } from '../indexing.ts';
import { membersIn } from '../invitations/invite.ts';
import { uidKeyOf } from '../objects/content.ts';
import { openRow } from '../objects/read.ts';
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
import { announceRemoved, announceWritten, assertOnlyOne } from './announced.ts';
import type { DavCalendar } from './collections.ts';
import { scheduleTagOf } from './content.ts';
import { objectAt, rowAt, type Found } from './found.ts';
import { textOf } from './given-object.ts';
import { knowObject, readObject } from './large-objects.ts';
import { scheduled, type Scheduled } from './scheduled.ts';

const byUid = writtenQuery<Pick<CalendarObjectRow, 'name'>>(
  'select name from calendar_objects where calendar_id = $1 and uid_key = $2',
);

interface Place {
  readonly tx: Context;
  readonly calendar: OpenCalendar & { readonly key: Uint8Array };
  /** what is there now */
  readonly found: Found | undefined;
}

interface Aim {
  readonly calendar: OpenCalendar;
  readonly name: string;
  readonly conditions: DavConditions;
  /** what is to be there */
  readonly object?: JcalComponent;
}

/**
 * Does something at a name of a calendar, in a transaction that has the calendar, and all members of this node whose events it may change.
 * @returns undefined if somebody is invited meanwhile who is not locked
 * @throws Problem as the functions of the port
 */
async function atName<T>(
  ctx: Context,
  actor: Actor,
  { calendar: { id, owner_id: ownerId }, name, conditions, object }: Aim,
  work: (place: Place) => Promise<T>,
): Promise<T | undefined> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const before = await membersAt(tx, await requireCalendar(tx, actor.memberId, id, 'editor'), name);
    // Whoever changes what counts to one member does so one after another.
    const locked = new Set([ownerId, ...before, ...membersIn(object)]);
    await lockMembers(tx, [...locked]);
    const calendar = await requireCalendar(tx, actor.memberId, id, 'editor');
    const key = openContentKey(tx, calendar);
    try {
      const found = await objectAt(tx, id, name, key);
      if (membersIn(found?.object).some((one) => !locked.has(one))) return undefined;
      assertConditions(conditions, found && tagsOf({ memberId: actor.memberId, calendar }, found));
      if (found !== undefined) assertMayChange(actor.memberId, calendar, found);
      return await work({ tx, calendar: { ...calendar, key }, found });
    } finally {
      key.fill(0);
    }
  });
}

async function membersAt(tx: Context, calendar: OpenCalendar, name: string): Promise<string[]> {
  const key = openContentKey(tx, calendar);
  try {
    return membersIn((await objectAt(tx, calendar.id, name, key))?.object);
  } finally {
    key.fill(0);
  }
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
    const { prepared, scheduled: people, octets, uid, before } = planned;
    const { object, part } = people;
    const aim = { calendar: planned.calendar, name, conditions, object };
    const written = await atName(ctx, actor, aim, async ({ tx, calendar, found }) => {
      const isSame = calendar.zone === planned.calendar.zone && calendar.owner_id === planned.calendar.owner_id;
      if (!isSame || found?.row.etag !== before?.etag) return undefined;
      await assertUid(tx, calendar.id, uid, { name, found });
      if (found === undefined && part !== 'none') await assertOnlyOne(tx, calendar, uid);
      const row =
        found === undefined
          ? await insertNamed(tx, calendar, prepared)
          : await replacePrepared(tx, calendar, found.row, prepared);
      await announceWritten(tx, actor, { calendar, found, scheduled: people, row });
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
  readonly scheduled: Scheduled;
  /** undefined: what is stored says something else, or they are no text */
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
  const before = await rowAt(ctx, id, name);
  const now = ctx.clock.now();
  const { id: objectId, created_at: createdAt } = before ?? { id: recordId(now, ctx.random), created_at: now };
  const from = { id: objectId, created_at: createdAt };
  const place = { ...from, calendar_id: id, ownerId: calendar.owner_id };
  const key = openContentKey(ctx, calendar);
  const space = calendarSpace({ id, key });
  try {
    const given = await readObject(ctx, bytes, { place, zone: calendar.zone, space, now });
    assertTaken(given.component, components);
    const writer = { calendar, memberId };
    const open = before && openRow(ctx, calendar, key, before);
    const planned = isAboutPeople(given.object, open?.object)
      ? await scheduled(ctx, writer, open, given.object)
      : { object: given.object, part: 'none' as const, replies: [] };
    const { object } = planned;
    const isAsSent = object === given.object || JSON.stringify(withoutNotes(object)) === JSON.stringify(given.object);
    // Whoever declines has the time, and instances of which others say when they are may be other ones.
    const known =
      object === given.object
        ? given.known
        : await knowObject(ctx, object, { place, zone: calendar.zone, space, now }, bytes.length);
    const octets = isAsSent ? textOf(bytes) : undefined;
    const content = { object, known, ...(octets !== undefined && { octets }) };
    const writable = { ...calendar, key };
    const prepared = checked(() =>
      before === undefined
        ? prepareObject(ctx, writable, { ...content, name, createdBy: memberId, from })
        : prepareReplacement(ctx, writable, before, content),
    );
    return { calendar, before, scheduled: planned, octets, uid: uidKeyOf(ctx, uidOf(object)), prepared };
  } finally {
    key.fill(0);
    space.key?.fill(0);
  }
}

function isAboutPeople(...objects: readonly (JcalComponent | undefined)[]): boolean {
  return objects.some((object) =>
    object?.[2].some((component) =>
      ['organizer', 'attendee'].some((name) => propertyOf(component, name) !== undefined),
    ),
  );
}

/** An object as programs see it. */
function withoutNotes([name, properties, components]: JcalComponent): JcalComponent {
  return [
    name,
    properties.flatMap(([one, params, ...value]) => {
      const shown = Object.entries(params).filter(([param]) => !param.startsWith(ownPrefix));
      return one.startsWith(ownPrefix) ? [] : [[one, Object.fromEntries(shown), ...value]];
    }),
    components.map(withoutNotes),
  ];
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
  { conditions, scheduleReply }: { readonly conditions: DavConditions; readonly scheduleReply: boolean },
): Promise<void> {
  const aim = { calendar: known, name, conditions };
  for (;;) {
    const done = await atName(ctx, actor, aim, async ({ tx, calendar, found }) => {
      if (found === undefined) throw notThere('event');
      await removeObject(tx, calendar, found.row);
      await announceRemoved(tx, actor, calendar, found, scheduleReply);
      return true;
    });
    if (done === true) return;
  }
}
