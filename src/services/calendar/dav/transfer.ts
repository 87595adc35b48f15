import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertConditions } from '../../../service/dav-matching.ts';
import type { DavNamed, DavTransfer, DavTransferred } from '../../../service/ports/dav.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar } from '../access.ts';
import { openOctets } from '../objects/content.ts';
import { insertObject, moveObject, removeObject } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import type { DavCalendar } from './collections.ts';
import { assertMayChange, assertTaken, assertUid, objectAt, tagsOf } from './write.ts';

/** Moves or copies an object. @throws Problem as the function of the port */
export async function transferNamed(
  ctx: Context,
  actor: Actor,
  from: DavNamed<DavCalendar>,
  to: DavNamed<DavCalendar>,
  { conditions, copy, overwrite }: DavTransfer,
): Promise<DavTransferred> {
  const { memberId } = actor;
  const needed = copy ? 'viewer' : 'editor';
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await lockMembers(tx, [from.collection.calendar.owner_id, to.collection.calendar.owner_id]);
    const source = await requireCalendar(tx, memberId, from.collection.calendar.id, needed);
    const goal = await requireCalendar(tx, memberId, to.collection.calendar.id, 'editor');
    const [sourceKey, key] = [openContentKey(tx, source), openContentKey(tx, goal)];
    try {
      const found = await objectAt(tx, source.id, from.name, sourceKey);
      if (found === undefined) throw notThere('event');
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
      const isHere = source.id === goal.id && !copy;
      // What has this UID may be what is moved, or what it takes the place of.
      if (!isHere && there?.row.uid_key !== found.row.uid_key)
        await assertUid(tx, goal.id, found.row.uid_key, { name: to.name, found: undefined });
      if (there !== undefined) await removeObject(tx, goal, there.row);
      const octets = found.row.octets === null ? undefined : openOctets(sourceKey, found.row, found.row.octets);
      const content = { object: found.object, octets, name: to.name };
      if (copy) await insertObject(tx, { ...goal, key }, { ...content, createdBy: memberId });
      else await moveObject(tx, source, { ...goal, key }, found.row, content);
      return { created: there === undefined };
    } finally {
      sourceKey.fill(0);
      key.fill(0);
    }
  });
}
