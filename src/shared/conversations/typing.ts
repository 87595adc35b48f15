import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { Seat } from './conversation.ts';
import { partedFrom } from './parted.ts';
import { tell } from './events.ts';
import { isSettled } from './requests.ts';

/**
 * Tells the others that a member is typing, or has stopped. The caller has checked that the member may speak. What comes too soon after the last
 * time is dropped.
 * @returns until when it holds, in milliseconds since 1970; null: not any more
 */
export async function tellTyping(ctx: Context, seat: Seat, memberId: string, typing: boolean): Promise<number | null> {
  const until = typing ? ctx.clock.now() + chatLimits.typingMs : null;
  if (!isSettled(seat) || !ctx.realtime.passes(`typing ${seat.id} ${memberId} ${typing}`)) return until;
  const withheldFrom = [memberId, ...(await partedFrom(ctx, seat, memberId))];
  if (until === null) await tell(ctx, seat, 'typingStop', { memberId }, { withheldFrom });
  else {
    const expiresAt = new Date(until).toISOString();
    await tell(ctx, seat, 'typingStart', { memberId, expiresAt }, { withheldFrom });
  }
  return until;
}
