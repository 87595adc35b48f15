import { roomOf } from './conversation.ts';
import { isVisibleSql } from './visible-range.ts';

/** SQL of the messages `m` of conversations that the member `:reader` is in. Use it with `isReadableSql`, which has its other half. */
export const readableMessages = `conversation_messages m
  join conversations c on c.id = m.conversation_id
  join conversation_places p on p.conversation_id = m.conversation_id and p.member_id = :reader
  join room_members r on r.kind = '${roomOf('').kind}' and r.room_id = m.conversation_id and r.member_id = p.member_id`;

/** Whether the reader may read the text of one of them now: it is in what they see, not deleted, and no block hides it. */
export const isReadableSql = `m.deleted_at is null and ${isVisibleSql}
    and (c.pair is not null or r.role <> 'member' or not exists (
      select 1 from member_blocks b where (b.member_id = p.member_id and b.blocked_id = m.sender_id)
        or (b.member_id = m.sender_id and b.blocked_id = p.member_id)))`;
