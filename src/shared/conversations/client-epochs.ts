import type { Context } from '../../service/context.ts';
import type { SentEpoch } from '../../contract/chat/client-mode.ts';
import { holdRoom } from '../groups/room.ts';
import { keyHolders, newestOf, storeSentEpoch, type Newest } from '../group-keys/member-epochs.ts';
import { refuseEpoch } from './client-mode.ts';
import { isClientMode, noConversation, roomOf, type Seat } from './conversation.ts';
import { memberIdsOf } from './events.ts';
import { tellRotation } from './inbox.ts';
import { mostKeyAge } from './retention.ts';
import { rulesOf } from './types.ts';
import { requirePermission } from './voice.ts';

/**
 * The newest key of a conversation, and whether a member has to make the next one before anything is sent.
 * @throws Problem missing NOT_FOUND
 */
export async function newestKeyOf(ctx: Pick<Context, 'db' | 'clock' | 'config'>, seat: Seat): Promise<Newest> {
  // In mode `server` the node makes the next one by itself.
  return await newestOf(ctx, roomOf(seat.id), isClientMode(seat) ? mostKeyAge(ctx, seat) : undefined);
}

/**
 * Makes a key of a member the newest one of a conversation that only members can read, without a change of who is in it: after somebody left,
 * when it is too old, or to give the key to members who wait for it. Sent again, it changes nothing.
 * @returns its epoch
 * @throws Problem forbidden FORBIDDEN; those of `storeSentEpoch`
 */
export async function beginEpoch(tx: Context, seat: Seat, memberId: string, sent: SentEpoch): Promise<number> {
  if (!isClientMode(seat)) refuseEpoch(sent);
  const room = roomOf(seat.id);
  // Nobody comes or goes meanwhile.
  if ((await holdRoom(tx, room)) === undefined) throw noConversation();
  const newest = await newestKeyOf(tx, seat);
  if (newest.keyId === sent.keyId && newest.epoch === sent.epoch) return newest.epoch;
  const members = await memberIdsOf(tx, seat.id);
  const holders = new Set(await keyHolders(tx, room));
  const waiting = members.filter((id) => !holders.has(id));
  const admits = sent.wraps.some((wrap) => waiting.includes(wrap.memberId));
  if (admits) requirePermission(seat, rulesOf(seat).adding);
  const reason = admits ? 'member_added' : newest.isOld ? 'daily' : 'requested';
  const given = { authorId: memberId, sent, members, admissible: admits ? waiting : [], reason } as const;
  const rotation = await storeSentEpoch(tx, room, given);
  await tellRotation(tx, seat, rotation);
  return rotation.epoch;
}
