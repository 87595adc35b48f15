import { roomOf } from './conversation.ts';
import { socialTypes } from './types.ts';
import { isVisibleSql } from './visible-range.ts';

/** SQL of the messages `m` of conversations that the member `:reader` is in. Use it with `isReadableSql`, which has its other half. */
export const readableMessages = `conversation_messages m
  join conversations c on c.id = m.conversation_id
  join conversation_places p on p.conversation_id = m.conversation_id and p.member_id = :reader
  join room_members r on r.kind = '${roomOf('').kind}' and r.room_id = m.conversation_id and r.member_id = p.member_id`;

const social = socialTypes.map((type) => `'${type}'`).join(', ');

/**
 * Whether the reader may read the text of one of them now: it is in what they see, not deleted, its time is not over (`:now` and `:since` of
 * `keepingValues`), and no block hides it.
 */
export const isReadableSql = `m.deleted_at is null and ${isVisibleSql}
    and (c.retention_ms is null or m.created_at > :now - c.retention_ms)
    and (m.created_at > :since or c.type in (${social}))
    and (c.pair is not null or r.role <> 'member' or not exists (
      select 1 from member_blocks b where (b.member_id = p.member_id and b.blocked_id = m.sender_id)
        or (b.member_id = m.sender_id and b.blocked_id = p.member_id)))`;
