import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { conversations } from '../../../contract/social/conversations.ts';
import type { SocialConversation } from '../../../contract/social/message.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { onceAnew } from '../../../service/repeats.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { inConversationOfTwo } from '../../../shared/conversations/begin.ts';
import { closeConversation, isClosed, openAgain } from '../../../shared/conversations/closing.ts';
import { requireSeat, type Seat } from '../../../shared/conversations/conversation.ts';
import { momentOf } from '../../../shared/conversations/dto.ts';
import { pageOfSeats } from '../../../shared/conversations/list.ts';
import { leaveConversation } from '../../../shared/conversations/moderation.ts';
import { markRead } from '../../../shared/conversations/read.ts';
import { createRoom } from '../../../shared/conversations/rooms.ts';
import { addMessage, requireMessage } from '../../../shared/conversations/send.ts';
import { toRequests, toSocialConversations } from '../../../shared/conversations/social-conversations.ts';
import { socialTypes } from '../../../shared/conversations/types.ts';
import { tellTyping } from '../../../shared/conversations/typing.ts';
import { isVisible } from '../../../shared/conversations/visible-range.ts';
import { requireVoice } from '../../../shared/conversations/voice.ts';
import { followEachOther } from '../../../shared/members/follows.ts';
import { requireSelf, type PersonRow } from '../people/found.ts';
import { tell } from '../notices.ts';
import { afterLeaving } from './participants.ts';
import { requireAddressee, requireNamed, requireOpen, requireOpenToGroups } from './reach.ts';
import { showNow } from './shown.ts';

type Contract = typeof conversations;

export async function listConversations(
  ctx: Context,
  { memberId }: Actor,
  { archived, ...page }: InputOf<Contract['listConversations']>,
): Promise<ReplyOf<Contract['listConversations']>> {
  const wanted = { list: 'social.conversations', memberId, types: socialTypes, archived: archived === 'true' };
  const { rows, next } = await pageOfSeats(ctx, wanted, page);
  const shown = await toSocialConversations(ctx, memberId, rows);
  return { conversations: shown, cursor: next.cursor ?? null, hasMore: next.hasMore };
}

export async function beginConversation(
  ctx: Context,
  actor: Actor,
  input: InputOf<Contract['beginConversation']>,
): Promise<ReplyOf<Contract['beginConversation']>> {
  const self = await requireSelf(ctx, actor);
  if (input.attachments !== undefined && input.content === undefined)
    throw fieldProblem('content', 'must be there with attachments');
  return input.type === 'group' ? await beginGroup(ctx, actor, input) : await beginDirect(ctx, actor, self, input);
}

async function beginGroup(
  ctx: Context,
  actor: Actor,
  { name, participantIds, content, attachments }: InputOf<Contract['beginConversation']>,
): Promise<SocialConversation> {
  const { memberId } = actor;
  if (name === undefined) throw fieldProblem('name', 'must be there for a group');
  if (participantIds === undefined) throw fieldProblem('participantIds', 'must be there for a group');
  const others = (await requireNamed(ctx, actor, participantIds)).filter((id) => id !== memberId);
  if (others.length === 0) throw fieldProblem('participantIds', 'must name somebody beside yourself');
  const room = { type: 'social_group', ownerId: memberId, name, memberIds: others } as const;
  return await createRoom(
    ctx,
    room,
    async (tx, create) =>
      await onceAnew(
        tx,
        async () => {
          await requireOpenToGroups(tx, memberId, others);
          const seat = await create();
          if (content !== undefined) await addMessage(tx, seat, memberId, { content, attachments });
          return { reply: await showNow(tx, memberId, seat.id), kept: { id: seat.id } };
        },
        async ({ id }) => await showNow(tx, memberId, id),
      ),
  );
}

async function beginDirect(
  ctx: Context,
  actor: Actor,
  self: PersonRow,
  { otherUserId, content, attachments }: InputOf<Contract['beginConversation']>,
): Promise<ReplyOf<Contract['beginConversation']>> {
  const { memberId } = actor;
  if (otherUserId === undefined) throw fieldProblem('otherUserId', 'must be there for a conversation of two');
  const { id: otherId } = await requireAddressee(ctx, actor, otherUserId);
  if (otherId === memberId) throw fieldProblem('otherUserId', 'must not be yourself');
  const asks = async (tx: Context): Promise<boolean> => {
    await requireOpen(tx, memberId, [otherId]);
    return !(await followEachOther(tx, memberId, otherId));
  };
  return await inConversationOfTwo(
    ctx,
    { type: 'social_direct', memberId, otherId, asks },
    async (tx, seat, isNew) =>
      await onceAnew<ReplyOf<Contract['beginConversation']>, { readonly isRequest: boolean }>(
        tx,
        async () => {
          const now = isNew ? seat : await reopened(tx, seat, memberId);
          if (content !== undefined) await addMessage(tx, now, memberId, { content, attachments });
          if (!isNew || now.request !== 'pending')
            return { reply: await showNow(tx, memberId, now.id), kept: { isRequest: false } };
          const about = { actorId: memberId, targetId: now.id };
          await tell(tx, {
            ...about,
            recipientId: otherId,
            type: 'message_request',
            content: `${self.username} wants to write to you.`,
          });
          return { reply: await showRequest(tx, actor, now.id), kept: { isRequest: true } };
        },
        async ({ isRequest }) =>
          isRequest ? await showRequest(tx, actor, seat.id) : await showNow(tx, memberId, seat.id),
      ),
  );
}

async function showRequest(tx: Context, actor: Actor, conversationId: string) {
  const [request] = await toRequests(tx, actor.memberId, [await requireSeat(tx, actor, socialTypes, conversationId)]);
  if (request === undefined) throw new Error('the request is not shown');
  return { request, conversationId };
}

/** @throws Problem invalid CONVERSATION_EXISTS for one that the member sees */
async function reopened(tx: Context, seat: Seat, memberId: string): Promise<Seat> {
  if (isClosed(seat)) return await openAgain(tx, seat, memberId);
  const message = 'You have a conversation with this member already.';
  throw new Problem('invalid', 'CONVERSATION_EXISTS', message, { details: { conversationId: seat.id } });
}

export async function showConversation(
  ctx: Context,
  { memberId }: Actor,
  { id }: InputOf<Contract['showConversation']>,
): Promise<SocialConversation> {
  return await showNow(ctx, memberId, id);
}

export async function deleteConversation(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<Contract['deleteConversation']>,
): Promise<null> {
  const { memberId } = actor;
  const { pair } = await requireSeat(ctx, actor, socialTypes, id);
  if (pair !== null)
    return await transaction(ctx, async (tx) => {
      await closeConversation(tx, await requireSeat(tx, actor, socialTypes, id), memberId);
      return null;
    });
  await leaveConversation(ctx, memberId, { types: ['social_group'], id }, { handsOver: true, and: afterLeaving });
  return null;
}

const messageAt = writtenQuery<{ id: string }>(
  'select id from conversation_messages where conversation_id = $1 and seq = $2',
);

export async function readConversation(
  ctx: Context,
  actor: Actor,
  { id, messageId }: InputOf<Contract['readConversation']>,
): Promise<ReplyOf<Contract['readConversation']>> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, actor, socialTypes, id);
    const upTo = messageId === undefined ? undefined : (await requireMessage(tx, seat, messageId)).seq;
    const { read_seq: seq, read_at: readAt } = await markRead(tx, seat, memberId, upTo);
    // Before the first message that they see there is none.
    const [last] = isVisible(seat, seq) ? (await tx.db.executeQuery(messageAt(id, seq))).rows : [];
    return { conversationId: id, userId: memberId, lastReadAt: momentOf(readAt), lastReadMessageId: last?.id ?? null };
  });
}

export async function typeInConversation(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<Contract['typeInConversation']>,
): Promise<ReplyOf<Contract['typeInConversation']>> {
  const seat = await requireSeat(ctx, actor, socialTypes, id);
  await requireVoice(ctx, seat, actor.memberId);
  return { expiresAt: momentOf(await tellTyping(ctx, seat, actor.memberId, true)) };
}
