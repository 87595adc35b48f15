import type { Context } from '../../service/context.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import type { RoomRole } from '../../platform/store/tables/rooms.ts';
import { isAtLeast } from '../groups/roles.ts';
import { blockedEitherWay } from '../members/blocks.ts';
import { roomOf, type Seat } from './conversation.ts';
import { isVisibleSql } from './visible-range.ts';

/** Whether blocks hide what others say: from members below moderators, and not between two alone, who keep what they have. */
export function blocksHide({
  pair,
  role,
}: Pick<ConversationRow, 'pair'> & { readonly role?: RoomRole | undefined }): boolean {
  return pair === null && !isAtLeast(role, 'moderator');
}

/** Whether a member may read the text of a message in what they see of their conversation: it is not deleted, and no block hides it. */
export async function isReadable(
  ctx: Pick<Context, 'db'>,
  seat: Pick<Seat, 'pair' | 'role'>,
  { sender_id: senderId, deleted_at: deletedAt }: Pick<ConversationMessageRow, 'sender_id' | 'deleted_at'>,
  memberId: string,
): Promise<boolean> {
  if (deletedAt !== null) return false;
  return !blocksHide(seat) || (await blockedEitherWay(ctx, memberId, [senderId])).size === 0;
}

/** SQL of the messages `m` of conversations that the member `:reader` is in. Use it with `isReadableSql`, which has its other half. */
export const readableMessages = `conversation_messages m
  join conversations c on c.id = m.conversation_id
  join conversation_places p on p.conversation_id = m.conversation_id and p.member_id = :reader
  join room_members r on r.kind = '${roomOf('').kind}' and r.room_id = m.conversation_id and r.member_id = p.member_id`;

/**
 * Whether the reader may read the text of one of them now: it is in what they see, not deleted, its time is not over (`:now` and `:since` of
 * `keepingValues`), and no block hides it.
 */
export const isReadableSql = `m.deleted_at is null and ${isVisibleSql}
    and (c.retention_ms is null or m.created_at > :now - c.retention_ms)
    and m.created_at > :since
    and (c.pair is not null or r.role <> 'member' or not exists (
      select 1 from member_blocks b where (b.member_id = p.member_id and b.blocked_id = m.sender_id)
        or (b.member_id = m.sender_id and b.blocked_id = p.member_id)))`;
