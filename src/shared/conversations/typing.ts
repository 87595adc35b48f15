import type { Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { topicOfConversation, type Seat } from './conversation.ts';
import { partedFrom } from './parted.ts';
import { aboutConversation } from './events.ts';

/**
 * Tells the others that a member is typing, or has stopped. The caller has checked that the member may speak. What comes too soon after the last
 * time is dropped.
 * @returns until when it holds, in milliseconds since 1970; null: not any more
 */
export async function tellTyping(ctx: Context, seat: Seat, memberId: string, typing: boolean): Promise<number | null> {
  const topic = topicOfConversation(seat.id);
  const until = typing ? ctx.clock.now() + chatLimits.typingMs : null;
  if (!ctx.realtime.passes(`typing ${seat.id} ${memberId} ${typing}`)) return until;
  const about = { ...aboutConversation(seat), memberId };
  const withheldFrom = [memberId, ...(await partedFrom(ctx, seat, memberId))];
  if (until === null) await publish(ctx, topic, chatEvents.typingStop, about, { withheldFrom });
  else {
    const expiresAt = new Date(until).toISOString();
    await publish(ctx, topic, chatEvents.typingStart, { ...about, expiresAt }, { withheldFrom });
  }
  return until;
}
