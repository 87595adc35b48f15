import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { ConversationAttachmentBlockRow } from '../../../platform/store/tables/conversation-attachments.ts';
import type { ConversationMessageRow } from '../../../platform/store/tables/conversations.ts';
import { namedQuery, writtenQuery } from '../../../platform/store/written-query.ts';
import type { Part } from '../../attachments/sealed-parts.ts';
import { openRoomKeys } from '../../group-keys/keys.ts';
import { roomOf } from '../conversation.ts';
import { isReadableSql, readableMessages } from '../readable.ts';
import { keepingValues } from '../retention.ts';
import { saidIn } from '../sealed.ts';
import type { SealedAttachment } from './attachment.ts';
import { openFiles } from './client-files.ts';
import { findWaiting, noAttachment, openDescribed } from './upload-rows.ts';

const messageWith = namedQuery<ConversationMessageRow>(`
  select m.* from ${readableMessages}
  join conversation_message_attachments a on a.message_id = m.id
  where a.attachment_id = :attachment and ${isReadableSql}
    and (:bot = '' or exists (select 1 from bot_token_rooms t where t.bot_id = :bot and t.room_id = m.conversation_id))
  limit 1`);
const blocksOf = writtenQuery<ConversationAttachmentBlockRow>(
  'select * from conversation_attachment_blocks where attachment_id = $1 order by piece',
);

/** A file with what opens it. */
export interface OpenAttachment {
  readonly attachment: SealedAttachment;
  readonly part: Part;
}

/**
 * A file that a member may read now: an own upload that waits, or what a message has that they may read. For a bot token it is only what messages
 * of its conversations have.
 * @throws Problem missing ATTACHMENT_NOT_FOUND; internal STORE_DAMAGED
 */
export async function openAttachment(
  ctx: Context,
  { memberId, bot }: Pick<Actor, 'memberId' | 'bot'>,
  id: string,
): Promise<OpenAttachment> {
  const waiting = bot === undefined ? await findWaiting(ctx, memberId, id) : undefined;
  const attachment =
    waiting === undefined ? await attachmentOf(ctx, { memberId, bot }, id) : openDescribed(ctx, waiting);
  if (attachment === undefined) throw noAttachment();
  const { rows } = await ctx.db.executeQuery(blocksOf(id));
  const blocks = rows.map(({ hash, sealed, size }) => ({ hash, sealed: sealed ?? undefined, size }));
  return { attachment, part: { key: Buffer.from(attachment.key, 'base64'), size: attachment.size, blocks } };
}

/** As a message says it that the member may read. */
async function attachmentOf(
  ctx: Context,
  { memberId, bot }: Pick<Actor, 'memberId' | 'bot'>,
  id: string,
): Promise<SealedAttachment | undefined> {
  const [message] = (
    await ctx.db.executeQuery(
      messageWith({ reader: memberId, attachment: id, bot: bot?.id ?? '', ...keepingValues(ctx) }),
    )
  ).rows;
  if (message === undefined) return undefined;
  if (message.signature !== null) return openFiles(ctx, message).find((one) => one.id === id);
  using keys = await openRoomKeys(ctx, roomOf(message.conversation_id), [message.epoch]);
  return saidIn(keys, message, message)?.attachments?.find((one) => one.id === id);
}
