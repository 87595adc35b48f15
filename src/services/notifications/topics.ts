import type { FrameRules, TopicKind } from '../../service/ports/realtime.ts';
import { notificationFrames as frames, notificationsTopic } from '../../contract/notifications/events.ts';
import type { Context } from '../../service/context.ts';
import { asHeard } from '../../shared/notifications/hearing.ts';
import { topicOf } from '../../shared/notifications/telling.ts';
import { onFrame } from '../../platform/realtime/frames.ts';

/** Members hear of their own notifications alone. */
export function notificationTopics(ctx: Context): Readonly<Record<string, TopicKind>> {
  return {
    [notificationsTopic.kind]: {
      allows: async ({ memberId }, topic) => topic === topicOf(memberId),
      asHeard: asHeard(ctx),
    },
  };
}

export function notificationFrames(): FrameRules[] {
  return [
    onFrame(frames.subscribe, async (sender) => {
      const topic = topicOf(sender.listener.memberId);
      if (await sender.subscribe(topic)) return { count: 1, refused: 0, refusedTopics: [] };
      return { count: 0, refused: 1, refusedTopics: [topic] };
    }),
    onFrame(frames.unsubscribe, async (sender) => {
      sender.unsubscribe(topicOf(sender.listener.memberId));
      return { count: 1 };
    }),
  ];
}
