import { topicName } from '../../../contract/event.ts';
import { vaultsTopic } from '../../../contract/passvault/events.ts';
import type { TopicKind } from '../../../platform/realtime/topics.ts';

/** Decides who may subscribe to vault topics. */
export function vaultTopics(): Readonly<Record<string, TopicKind>> {
  return {
    [vaultsTopic.kind]: {
      allows: async (listener, topic) => topic === topicName(vaultsTopic, listener.memberId),
    },
  };
}
