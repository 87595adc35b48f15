import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertConditions, davRefusal } from '../../../service/dav-matching.ts';
import type { DavConditions, DavGiven, DavWritten } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import { insightOf } from '../events/dto.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { openContent, uidKeyOf } from '../objects/content.ts';
import { insertObject, removeObject, replaceObject, uidOf } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import type { DavCalendar } from './collections.ts';
import { scheduleTagOf } from './content.ts';
import { readGiven } from './given.ts';
import { etagFor } from './heads.ts';

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

interface Found {
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
      const [row] = (await tx.db.executeQuery(byName(id, name))).rows;
      const found = row === undefined ? undefined : { row, object: openContent(key, row) };
      assertConditions(conditions, found && tagsOf({ memberId: actor.memberId, calendar }, found));
      if (found !== undefined) assertMayChange(actor.memberId, calendar, found);
      return await work({ tx, calendar: { ...calendar, key }, found });
    } finally {
      key.fill(0);
    }
  });
}

function tagsOf(reader: { readonly memberId: string; readonly calendar: OpenCalendar }, { row, object }: Found) {
  const scheduleTag = scheduleTagOf(object);
  return { etag: etagFor(reader, row), ...(scheduleTag !== undefined && { scheduleTag }) };
}

/** What an editor does not see whole, the editor does not change either. @throws Problem forbidden FORBIDDEN */
function assertMayChange(memberId: string, calendar: OpenCalendar, { row, object }: Found): void {
  const own = object[2].filter(([name]) => name !== 'vtimezone');
  if (own.some((component) => insightOf(calendar, memberId, row, component) !== 'all'))
    throw new Problem('forbidden', 'FORBIDDEN', 'This event is private. Only the owner of the calendar can change it.');
}

/** Stores an object under a name. @throws Problem as the function of the port */
export async function writeNamed(
  ctx: Context,
  actor: Actor,
  { calendar: known, components }: DavCalendar,
  name: string,
  { bytes, conditions }: DavGiven,
): Promise<DavWritten> {
  const given = readGiven(ctx, bytes);
  if (!components.includes(given.component)) {
    const message = `This calendar takes ${components.join(', ')}, and no ${given.component}.`;
    throw davRefusal('forbidden', 'FORBIDDEN', 'c:supported-calendar-component', message);
  }
  const uid = uidKeyOf(ctx, uidOf(given.object));
  return await atName(ctx, actor, known, name, conditions, async ({ tx, calendar, found }) => {
    const content = { object: given.object, ...(given.octets !== undefined && { octets: given.octets }) };
    await assertUid(tx, calendar.id, uid, { name, found });
    const createdBy = actor.memberId;
    const row = await checked(async () =>
      found === undefined
        ? await insertObject(tx, calendar, { ...content, name, createdBy })
        : await replaceObject(tx, calendar, found.row, content),
    );
    const tags = tagsOf({ memberId: actor.memberId, calendar }, { row, object: given.object });
    // A tag names what was sent only if the same is given back.
    return { created: found === undefined, ...(given.octets !== undefined && tags) };
  });
}

/** A UID is in a calendar once, and stays with its name (RFC 4791 5.3.2.1). @throws Problem conflict CONFLICT */
async function assertUid(
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
async function checked<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
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
