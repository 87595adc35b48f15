import type { TopicKind } from '../../service/ports/realtime.ts';
import { mailTopic } from '../../contract/mail/events.ts';
import { mailTopicOf } from './boxes/items.ts';

/** Members hear of their own mail alone. */
export function mailTopics(): Readonly<Record<string, TopicKind>> {
  return { [mailTopic.kind]: { allows: async ({ memberId }, topic) => topic === mailTopicOf(memberId) } };
}
