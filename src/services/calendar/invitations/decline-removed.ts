import type { Context } from '../../../service/context.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { uidKeyOf } from '../objects/content.ts';
import type { OpenObject } from '../objects/read.ts';
import { uidOf } from '../objects/write.ts';
import { tellOrganizer, withReply } from './answer.ts';
import { isCancelled, statusIn } from './deliver.ts';
import { membersById } from './people.ts';
import { organizerParty } from '../itip/self.ts';
import { partyKey } from './rows.ts';
import { keyOf } from '../icalendar/fields/people.ts';

const decline = writtenQuery(`
  update calendar_invitations set status = 'declined', object_id = null, updated_at = $1
  where member_id = $2 and uid_key = $3 and organizer_key = $4`);

/**
 * Tells the organizer that whoever removes an event from their calendar does not come. The caller has locked both.
 * @param at the instance; undefined: all of it
 */
export async function declineRemoved(
  tx: Context,
  memberId: string,
  open: OpenObject,
  at: string | undefined,
): Promise<void> {
  const organizer = organizerParty(open.object);
  const member = (await membersById(tx, [memberId])).get(memberId);
  if (organizer === undefined || member === undefined) return;
  const now = tx.clock.now();
  if (at === undefined)
    await tx.db.executeQuery(decline(now, memberId, uidKeyOf(tx, uidOf(open.object)), partyKey(organizer)));
  if (isCancelled(open.object)) return;
  const me = { memberId, key: keyOf(member) };
  // The organizer knows it already.
  if (at === undefined && statusIn(open.object, me) === 'declined') return;
  const said = withReply(open, { me, partstat: 'DECLINED', at }, now);
  if (said === undefined) return;
  const reply = { me, myName: member.username, partstat: 'DECLINED', comment: undefined, at };
  await tellOrganizer(tx, said.object, said.events, reply, open.zones);
}
