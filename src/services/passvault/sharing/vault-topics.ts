import type { TopicKind } from '../../../service/ports/realtime.ts';
import { topicName } from '../../../contract/event.ts';
import { vaultsTopic } from '../../../contract/passvault/events.ts';

/** Decides who may subscribe to vault topics. */
export function vaultTopics(): Readonly<Record<string, TopicKind>> {
  return {
    [vaultsTopic.kind]: {
      allows: async (listener, topic) => topic === topicName(vaultsTopic, listener.memberId),
    },
  };
}
