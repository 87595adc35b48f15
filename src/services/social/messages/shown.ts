import type { Context } from '../../../service/context.ts';
import type { SocialConversation, SocialMessage } from '../../../contract/social/message.ts';
import { requireSeat, type Seat } from '../../../shared/conversations/conversation.ts';
import { toSocialConversations } from '../../../shared/conversations/social-conversations.ts';
import { toSocialMessages } from '../../../shared/conversations/social-messages.ts';
import { socialTypes } from '../../../shared/conversations/types.ts';
import type { ConversationMessageRow } from '../../../platform/store/tables/conversations.ts';

/** One message as a member sees it. */
export async function showMessage(
  ctx: Context,
  seat: Seat,
  row: ConversationMessageRow,
  memberId: string,
): Promise<SocialMessage> {
  return (await toSocialMessages(ctx, [seat], [row], memberId))[0] as SocialMessage;
}

/** One conversation as a member sees it at this moment. */
export async function showNow(ctx: Context, memberId: string, id: string): Promise<SocialConversation> {
  const seat = await requireSeat(ctx, { memberId }, socialTypes, id);
  return (await toSocialConversations(ctx, memberId, [seat]))[0] as SocialConversation;
}
