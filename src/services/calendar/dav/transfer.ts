import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertConditions, davRefusal } from '../../../service/dav-matching.ts';
import type { DavNamed, DavTransfer, DavTransferred } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import { calendarSpace } from '../indexing.ts';
import { partOfOwner } from '../invitations/invite.ts';
import { openOctets } from '../objects/content.ts';
import { insertObject, moveObject, removeObject, type KnownOfObject } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import type { DavCalendar } from './collections.ts';
import { objectAt, type Found } from './found.ts';
import { knowObject } from './large-objects.ts';
import { assertMayChange, assertTaken, assertUid, tagsOf } from './write.ts';

/**
 * Moves or copies an object. What takes long is done before the transaction, and again if the object is another one meanwhile.
 * @throws Problem as the function of the port
 */
export async function transferNamed(
  ctx: Context,
  actor: Actor,
  from: DavNamed<DavCalendar>,
  to: DavNamed<DavCalendar>,
  how: DavTransfer,
): Promise<DavTransferred> {
  for (;;) {
    const planned = await planOf(ctx, actor, from, to, how);
    const done = await transferPlanned(ctx, actor, from, to, { ...how, planned });
    if (done !== undefined) return done;
  }
}

interface Planned {
  /** the object that it holds for, and the days of the calendar */
  readonly etag: string;
  readonly zone: string;
  readonly known: KnownOfObject;
  /** of the object where it comes */
  readonly place: Pick<CalendarObjectRow, 'id' | 'created_at'>;
}

async function planOf(
  ctx: Context,
  { memberId }: Actor,
  from: DavNamed<DavCalendar>,
  to: DavNamed<DavCalendar>,
  { copy }: DavTransfer,
): Promise<Planned> {
  const source = await requireCalendar(ctx, memberId, from.collection.calendar.id, copy ? 'viewer' : 'editor');
  const goal = await requireCalendar(ctx, memberId, to.collection.calendar.id, 'editor');
  const [sourceKey, key] = [openContentKey(ctx, source), openContentKey(ctx, goal)];
  const space = calendarSpace({ id: goal.id, key });
  try {
    const found = await objectAt(ctx, source.id, from.name, sourceKey);
    if (found === undefined) throw notThere('event');
    const { row, object } = found;
    const now = ctx.clock.now();
    const { id, created_at: createdAt } = copy ? { id: recordId(now, ctx.random), created_at: now } : row;
    const place = { id, calendar_id: goal.id, created_at: createdAt, ownerId: goal.owner_id };
    const known = await knowObject(ctx, object, { place, zone: goal.zone, space, now }, row.sealed.length);
    return { etag: row.etag, zone: goal.zone, known, place };
  } finally {
    sourceKey.fill(0);
    key.fill(0);
    space.key?.fill(0);
  }
}

/** @returns undefined if what was planned holds no more */
async function transferPlanned(
  ctx: Context,
  actor: Actor,
  from: DavNamed<DavCalendar>,
  to: DavNamed<DavCalendar>,
  { conditions, copy, overwrite, planned }: DavTransfer & { readonly planned: Planned },
): Promise<DavTransferred | undefined> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await lockMembers(tx, [from.collection.calendar.owner_id, to.collection.calendar.owner_id]);
    const source = await requireCalendar(tx, memberId, from.collection.calendar.id, copy ? 'viewer' : 'editor');
    const goal = await requireCalendar(tx, memberId, to.collection.calendar.id, 'editor');
    const [sourceKey, key] = [openContentKey(tx, source), openContentKey(tx, goal)];
    try {
      const found = await objectAt(tx, source.id, from.name, sourceKey);
      if (found?.row.etag !== planned.etag || goal.zone !== planned.zone) return undefined;
      assertConditions(conditions, tagsOf({ memberId, calendar: source }, found));
      // Nobody gets more of an event by a copy of it than they see.
      assertMayChange(memberId, source, found);
      assertTaken(found.row.component, to.collection.components);
      const there = await objectAt(tx, goal.id, to.name, key);
      if (there !== undefined) {
        if (!overwrite)
          throw new Problem('precondition', 'PRECONDITION_FAILED', 'There is another event at this address.');
        assertMayChange(memberId, goal, there);
      }
      await assertMayTransfer(tx, found, { source, goal, there, copy });
      const isHere = source.id === goal.id && !copy;
      // What has this UID may be what is moved, or what it takes the place of.
      if (!isHere && there?.row.uid_key !== found.row.uid_key)
        await assertUid(tx, goal.id, found.row.uid_key, { name: to.name, found: undefined });
      if (there !== undefined) await removeObject(tx, goal, there.row);
      const octets = found.row.octets === null ? undefined : openOctets(sourceKey, found.row, found.row.octets);
      const { known, place } = planned;
      const content = { object: found.object, octets, known, name: to.name };
      if (copy) await insertObject(tx, { ...goal, key }, { ...content, createdBy: memberId, from: place });
      else await moveObject(tx, source, { ...goal, key }, found.row, content);
      return { created: there === undefined };
    } finally {
      sourceKey.fill(0);
      key.fill(0);
    }
  });
}

/**
 * Whoever organizes or attends an event stays who that is, and has it once.
 * @throws Problem forbidden FORBIDDEN
 */
async function assertMayTransfer(
  tx: Context,
  { object }: Found,
  { source, goal, there, copy }: { source: OpenCalendar; goal: OpenCalendar; there: Found | undefined; copy: boolean },
): Promise<void> {
  if (there !== undefined && (await partOfOwner(tx, goal, there.object)) !== 'none')
    throw new Problem('forbidden', 'FORBIDDEN', 'Others hear when the event at this address goes. Delete it first.');
  const parts = [await partOfOwner(tx, source, object), await partOfOwner(tx, goal, object)];
  if (parts.every((part) => part === 'none') || (!copy && source.owner_id === goal.owner_id)) return;
  const message =
    'It has attendees: it is in one calendar at a time, and can be moved to another one of the same member.';
  throw davRefusal('forbidden', 'FORBIDDEN', 'c:unique-scheduling-object-resource', message);
}
