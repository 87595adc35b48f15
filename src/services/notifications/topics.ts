import { notificationsTopic } from '../../contract/notifications/events.ts';
import type { Context } from '../../context.ts';
import { asHeard } from '../../notifications/hearing.ts';
import { topicOf } from '../../notifications/telling.ts';
import type { TopicKind } from '../../realtime/topics.ts';

/** Members hear of their own notifications alone. */
export function notificationTopics(ctx: Context): Readonly<Record<string, TopicKind>> {
  return {
    [notificationsTopic.kind]: {
      allows: async ({ memberId }, topic) => topic === topicOf(memberId),
      asHeard: asHeard(ctx),
    },
  };
}
