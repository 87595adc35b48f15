import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { MessageRequest } from '../../../contract/social/message.ts';
import type { messageRequests } from '../../../contract/social/message-requests.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { Problem } from '../../../base/problem.ts';
import { requireSeat, type Seat } from '../../../shared/conversations/conversation.ts';
import { isReachable } from '../../../shared/conversations/reach.ts';
import { requestedOf } from '../../../shared/conversations/own-seats.ts';
import { acceptRequest, declineRequest } from '../../../shared/conversations/requests.ts';
import { toRequests } from '../../../shared/conversations/social-conversations.ts';
import { desc, readPage } from '../../../platform/store/page.ts';

type Contract = typeof messageRequests;

export async function listMessageRequests(
  ctx: Context,
  { memberId }: Actor,
  { status, ...page }: InputOf<Contract['listMessageRequests']>,
): Promise<ReplyOf<Contract['listMessageRequests']>> {
  const by = [desc<Seat>('c.created_at', (row) => row.created_at), desc<Seat>('c.id', (row) => row.id)];
  const listing = { list: 'social.message-requests', memberId, filter: { status }, by };
  const { rows, next } = await readPage(ctx, requestedOf(ctx, memberId, status), listing, page);
  return { requests: await toRequests(ctx, memberId, rows), cursor: next.cursor ?? null, hasMore: next.hasMore };
}

export async function acceptMessageRequest(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<Contract['acceptMessageRequest']>,
): Promise<{ request: MessageRequest }> {
  return await decide(ctx, actor, id, acceptRequest);
}

export async function declineMessageRequest(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<Contract['declineMessageRequest']>,
): Promise<{ request: MessageRequest }> {
  return await decide(ctx, actor, id, declineRequest);
}

async function decide(
  ctx: Context,
  actor: Actor,
  id: string,
  decided: (tx: Context, seat: Seat) => Promise<Seat>,
): Promise<{ request: MessageRequest }> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireRequest(tx, actor, id);
    if (seat.request !== 'pending') {
      const message =
        'This request was accepted or declined before. To answer one that you declined, write to its sender.';
      throw new Problem('invalid', 'MESSAGE_REQUEST_CLOSED', message);
    }
    const [request] = await toRequests(tx, actor.memberId, [await decided(tx, seat)]);
    if (request === undefined) throw new Error('the request is not shown');
    return { request };
  });
}

/** @throws Problem missing MESSAGE_REQUEST_NOT_FOUND, also for a request that the member sent */
async function requireRequest(tx: Context, actor: Actor, id: string): Promise<Seat> {
  const seat = await requireSeat(tx, actor, ['social_direct'], id).catch((error: unknown) => {
    throw error instanceof Problem && ['missing', 'forbidden'].includes(error.kind) ? noRequest() : error;
  });
  if (seat.request === null || seat.created_by === actor.memberId) throw noRequest();
  // What no list shows is not decided about either.
  if (!(await isReachable(tx, actor.memberId, seat.created_by))) throw noRequest();
  return seat;
}

function noRequest(): Problem {
  return new Problem('missing', 'MESSAGE_REQUEST_NOT_FOUND', 'There is no such message request to you.');
}
