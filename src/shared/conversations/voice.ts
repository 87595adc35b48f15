import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { mutedUntil } from '../groups/mutes.ts';
import { permits, type RoomPermission } from '../groups/permissions.ts';
import { blockedEitherWay } from '../members/blocks.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { otherOf, roomOf, type Seat } from './conversation.ts';
import { noMessage } from './send.ts';
import { requireReachable } from './reach.ts';

/**
 * For everything that the others in a conversation hear from a member, by whichever way.
 * @throws Problem missing MEMBER_NOT_FOUND in a conversation of two; forbidden FORBIDDEN for who is muted
 */
export async function requireVoice(tx: Pick<Context, 'db' | 'clock'>, seat: Seat, memberId: string): Promise<void> {
  if (seat.pair !== null) {
    await requireReachable(tx, memberId, otherOf(seat, memberId));
    return;
  }
  requirePermission(seat, 'SEND_MESSAGES');
  const until = await mutedUntil(tx, roomOf(seat.id), memberId);
  if (until === undefined) return;
  throw new Problem('forbidden', 'FORBIDDEN', `You are muted here until ${new Date(until).toISOString()}.`);
}

/** @throws Problem forbidden FORBIDDEN */
export function requirePermission(seat: Seat, permission: RoomPermission): void {
  // Two members alone have no roles: both may do what concerns the conversation.
  if (seat.pair !== null || permits(seat.role, permission)) return;
  throw new Problem('forbidden', 'FORBIDDEN', `Your role in this conversation does not allow this (${permission}).`);
}

/**
 * For what a member does to a message of somebody: between two whom a block parts there is nothing of that.
 * @throws Problem missing MESSAGE_NOT_FOUND
 */
export async function requireNoBlock(
  tx: Context,
  { sender_id: senderId }: Pick<ConversationMessageRow, 'sender_id'>,
  memberId: string,
): Promise<void> {
  if (senderId === memberId) return;
  if ((await blockedEitherWay(tx, memberId, [senderId])).size > 0) throw noMessage();
}
