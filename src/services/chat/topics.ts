import type { FrameRules, TopicKind } from '../../service/ports/realtime.ts';
import { transaction, type Context } from '../../service/context.ts';
import { chatFrames as frames, conversationTopic } from '../../contract/chat/events.ts';
import { inboxTopic } from '../../contract/chat/inbox/events.ts';
import { onFrame } from '../../platform/realtime/frames.ts';
import { hasLiveRight } from '../../shared/conversations/bot-rights.ts';
import { requireSeat, roomOf, topicOfConversation, topicOfInbox } from '../../shared/conversations/conversation.ts';
import { conversationAsHeard } from '../../shared/conversations/events.ts';
import { markRead } from '../../shared/conversations/read.ts';
import { addMessage } from '../../shared/conversations/send.ts';
import { allTypes } from '../../shared/conversations/types.ts';
import { requireVoice } from '../../shared/conversations/voice.ts';
import { tellTyping } from '../../shared/conversations/typing.ts';
import { hearsFrom, roleIn } from '../../shared/groups/membership.ts';
import { choosePresence } from '../../shared/presence/choose.ts';
import { watchMembers } from '../../shared/presence/statuses.ts';

const idOf = (topic: string): string => topic.slice(conversationTopic.kind.length + 1);

/** Members hear of their conversations, and of what concerns them in any. */
export function chatTopics(ctx: Context): Readonly<Record<string, TopicKind>> {
  return {
    [conversationTopic.kind]: {
      allows: async ({ memberId, bot }, topic) =>
        topic === topicOfConversation(idOf(topic)) &&
        (bot === undefined || (await hasLiveRight(ctx, bot, idOf(topic)))) &&
        (await roleIn(ctx, roomOf(idOf(topic)), memberId)) !== undefined,
      forBots: true,
      hearsAfter: async ({ memberId }, topic) => await hearsFrom(ctx, roomOf(idOf(topic)), memberId),
      asHeard: conversationAsHeard(ctx),
    },
    [inboxTopic.kind]: { allows: async ({ memberId }, topic) => topic === topicOfInbox(memberId) },
  };
}

/** What sockets send: the same as over HTTP. */
export function chatSocketFrames(ctx: Context): FrameRules[] {
  return [
    onFrame(frames.sendMessage, async ({ listener }, { conversationId, ...message }) => {
      const { memberId } = listener;
      return await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, listener, allTypes, conversationId);
        await requireVoice(tx, seat, memberId);
        const { id: messageId, seq } = await addMessage(tx, seat, memberId, { ...message, bot: listener.bot });
        return { clientId: message.clientId, messageId, seq };
      });
    }),
    onFrame(frames.typing, async ({ listener }, { conversationId, typing }) => {
      const seat = await requireSeat(ctx, listener, allTypes, conversationId);
      await requireVoice(ctx, seat, listener.memberId);
      await tellTyping(ctx, seat, listener.memberId, typing);
      return undefined;
    }),
    onFrame(frames.read, async ({ listener }, { conversationId, seq }) => {
      await transaction(ctx, async (tx) => {
        const seat = await requireSeat(tx, listener, allTypes, conversationId);
        await markRead(tx, seat, listener.memberId, seq);
      });
      return undefined;
    }),
    onFrame(frames.setPresence, async ({ listener }, { status }) => {
      await choosePresence(ctx, listener.memberId, status);
      return undefined;
    }),
    onFrame(frames.watchPresence, async ({ listener }, { memberIds }) => ({
      members: await watchMembers(ctx, listener, memberIds),
    })),
    onFrame(frames.subscribe, async (sender, { conversationId }) => {
      const topic = topicOfConversation(conversationId);
      if (await sender.subscribe(topic)) return { count: 1, refused: 0, refusedTopics: [] };
      return { count: 0, refused: 1, refusedTopics: [topic] };
    }),
    onFrame(frames.unsubscribe, async (sender, { conversationId }) => {
      sender.unsubscribe(topicOfConversation(conversationId));
      return { count: 1 };
    }),
  ];
}
