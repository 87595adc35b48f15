import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { SocialMessage } from '../../../contract/social/message.ts';
import type { messages } from '../../../contract/social/messages.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import { Problem } from '../../../base/problem.ts';
import * as change from '../../../shared/conversations/change.ts';
import { requireSeat } from '../../../shared/conversations/conversation.ts';
import { forward } from '../../../shared/conversations/forward.ts';
import { readHistory } from '../../../shared/conversations/history.ts';
import { ownSeats } from '../../../shared/conversations/own-seats.ts';
import { isReadable } from '../../../shared/conversations/readable.ts';
import { say, sayOnce } from '../../../shared/conversations/say.ts';
import { parseChatQuery } from '../../../shared/conversations/search-query.ts';
import { findMessages } from '../../../shared/conversations/search.ts';
import { noMessage, requireMessageOf } from '../../../shared/conversations/send.ts';
import { toSocialMessages } from '../../../shared/conversations/social-messages.ts';
import { socialTypes } from '../../../shared/conversations/types.ts';
import { requireVoice } from '../../../shared/conversations/voice.ts';
import { showMessage } from './shown.ts';

type Contract = typeof messages;

export async function listMessages(
  ctx: Context,
  actor: Actor,
  { id, ...request }: InputOf<Contract['listMessages']>,
): Promise<ReplyOf<Contract['listMessages']>> {
  const seat = await requireSeat(ctx, actor, socialTypes, id);
  const { memberId } = actor;
  const { rows, ...next } = await readHistory(ctx, seat, { list: 'social.messages', memberId }, request);
  return { messages: await toSocialMessages(ctx, [seat], rows, memberId), ...next };
}

export async function sendMessage(
  ctx: Context,
  actor: Actor,
  { id: conversationId, content, attachments, replyToMessageId, clientId }: InputOf<Contract['sendMessage']>,
): Promise<SocialMessage> {
  const message = { conversationId, content, attachments, replyToMessageId, clientId };
  return await say(ctx, actor, socialTypes, message, async (tx, seat, row) =>
    showMessage(tx, seat, row, actor.memberId),
  );
}

export async function editMessage(
  ctx: Context,
  actor: Actor,
  { messageId, content }: InputOf<Contract['editMessage']>,
): Promise<SocialMessage> {
  return await transaction(ctx, async (tx) => {
    const { seat, row } = await requireMessageOf(tx, actor, socialTypes, messageId);
    if (row.deleted_at !== null) throw noMessage();
    await requireVoice(tx, seat, actor.memberId);
    return await showMessage(
      tx,
      seat,
      await change.editMessage(tx, seat, actor.memberId, row, { content }),
      actor.memberId,
    );
  });
}

export async function deleteMessage(
  ctx: Context,
  actor: Actor,
  { messageId }: InputOf<Contract['deleteMessage']>,
): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const { seat, row } = await requireMessageOf(tx, actor, socialTypes, messageId);
    if (row.deleted_at !== null) throw new Problem('invalid', 'MESSAGE_ALREADY_DELETED', 'The message is deleted.');
    await change.deleteMessage(tx, seat, actor.memberId, row);
    return null;
  });
}

export async function forwardMessage(
  ctx: Context,
  actor: Actor,
  { messageId, targetConversationId }: InputOf<Contract['forwardMessage']>,
): Promise<SocialMessage> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const source = await requireMessageOf(tx, actor, socialTypes, messageId);
    // What a block hides from somebody is not carried on by them.
    if (!(await isReadable(tx, source.seat, source.row, memberId))) throw noMessage();
    const target = await requireSeat(tx, actor, socialTypes, targetConversationId);
    await requireVoice(tx, target, memberId);
    return await sayOnce(
      tx,
      target,
      async () => await forward(tx, source, target, memberId),
      async (at, seat, row) => await showMessage(at, seat, row, memberId),
    );
  });
}

export async function searchConversation(
  ctx: Context,
  actor: Actor,
  { id, q, ...page }: InputOf<Contract['searchConversation']>,
): Promise<ReplyOf<Contract['searchConversation']>> {
  const seat = await requireSeat(ctx, actor, socialTypes, id);
  const { memberId } = actor;
  const how = { list: 'social.search-conversation', field: 'q', memberId, within: { conversation: id } };
  const { rows, next } = await findMessages(ctx, [seat], how, q, page);
  const found = await toSocialMessages(ctx, [seat], rows, memberId);
  return { messages: found, cursor: next.cursor ?? null, hasMore: next.hasMore };
}

export async function searchMessages(
  ctx: Context,
  { memberId }: Actor,
  { q, ...page }: InputOf<Contract['searchMessages']>,
): Promise<ReplyOf<Contract['searchMessages']>> {
  const { within } = parseChatQuery(q, 'q');
  const seats = await ownSeats(ctx, memberId, { types: socialTypes, within, most: chatLimits.searchedTogether });
  const how = { list: 'social.search-messages', field: 'q', memberId };
  const { rows, next } = await findMessages(ctx, seats, how, q, page);
  return {
    messages: await toSocialMessages(ctx, seats, rows, memberId),
    cursor: next.cursor ?? null,
    hasMore: next.hasMore,
  };
}
