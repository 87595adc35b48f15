import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { search as contract } from '../../contract/chat/search.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { isClientMode, requireSeat } from '../../shared/conversations/conversation.ts';
import { ownSeats } from '../../shared/conversations/own-seats.ts';
import { parseChatQuery } from '../../shared/conversations/search-query.ts';
import { searchConversation, searchConversations } from '../../shared/conversations/search.ts';
import { chatTypes } from '../../shared/conversations/types.ts';

type Contract = typeof contract;

export async function searchChannel(
  ctx: Context,
  actor: Actor,
  { conversationId, query, ...page }: InputOf<Contract['searchChannel']>,
): Promise<ReplyOf<Contract['searchChannel']>> {
  const seat = await requireSeat(ctx, actor, ['channel'], conversationId);
  if (isClientMode(seat)) throw notSearched();
  const how = { list: 'chat.search-channel', field: 'query', memberId: actor.memberId };
  const { rows, next } = await searchConversation(ctx, seat, how, query, page);
  return { items: rows, cursor: next.cursor ?? null, hasMore: next.hasMore };
}

export async function searchChat(
  ctx: Context,
  { memberId, bot }: Actor,
  { q, ...page }: InputOf<Contract['searchChat']>,
): Promise<ReplyOf<Contract['searchChat']>> {
  const { within } = parseChatQuery(q, 'q');
  const seats = await ownSeats(ctx, memberId, {
    types: chatTypes,
    within,
    ...(bot !== undefined && { only: [...bot.rooms.keys()] }),
    most: chatLimits.searchedTogether,
  });
  // Among others, nothing is found in it.
  if (within.length > 0 && seats.length > 0 && seats.every(isClientMode)) throw notSearched();
  const { rows, next } = await searchConversations(ctx, seats, { list: 'chat.search', field: 'q', memberId }, q, page);
  return { items: rows, cursor: next.cursor ?? null, hasMore: next.hasMore };
}

function notSearched(): Problem {
  const message = 'Only members can read this conversation, so the node cannot search it.';
  return new Problem('invalid', 'CLIENT_ENCRYPTED', message);
}
