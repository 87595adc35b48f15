import { mailTopic } from '../../contract/mail/events.ts';
import type { TopicKind } from '../../platform/realtime/topics.ts';
import { mailTopicOf } from './boxes/items.ts';

/** Members hear of their own mail alone. */
export function mailTopics(): Readonly<Record<string, TopicKind>> {
  return { [mailTopic.kind]: { allows: async ({ memberId }, topic) => topic === mailTopicOf(memberId) } };
}
