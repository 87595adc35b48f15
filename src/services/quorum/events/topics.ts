import type { TopicKind } from '../../../service/ports/realtime.ts';
import type { Context } from '../../../service/context.ts';
import { topicName } from '../../../contract/event.ts';
import { quorumMemberTopic, quorumTopic } from '../../../contract/quorum/events.ts';
import { memberOf } from '../access.ts';

/** The topic that all members of the quorum hear. */
export function groupTopic({ keys }: Pick<Context, 'keys'>): string {
  return topicName(quorumTopic, keys.nodeId);
}

/** The topic of what concerns one account alone. */
export function accountTopic(accountId: string): string {
  return topicName(quorumMemberTopic, accountId);
}

/** Decides who may subscribe to topics of the quorum. */
export function quorumTopics(ctx: Context): Readonly<Record<string, TopicKind>> {
  return {
    [quorumTopic.kind]: {
      allows: async (listener, topic) => topic === groupTopic(ctx) && (await memberOf(ctx, listener)) !== undefined,
    },
    // Whoever seals a document or has a permit hears of their sessions too, so this needs no membership.
    [quorumMemberTopic.kind]: {
      allows: async ({ memberId }, topic) => topic === accountTopic(memberId),
    },
  };
}
