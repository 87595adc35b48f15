import type { FrameRules, TopicKind } from '../../../service/ports/realtime.ts';
import type { Context } from '../../../service/context.ts';
import { hubTopic, socialFrames } from '../../../contract/social/events.ts';
import { onFrame } from '../../../platform/realtime/frames.ts';
import { hearsFrom, roleIn } from '../../../shared/groups/membership.ts';
import { hubKind, roomOf } from './access.ts';
import { topicOfHub } from './changes.ts';

/** Members of a hub hear of it. Whoever is banned is none, and a deleted hub has none. */
export function hubTopics(ctx: Context): Readonly<Record<string, TopicKind>> {
  return {
    [hubTopic.kind]: {
      allows: async ({ memberId }, topic) => {
        const hubId = topic.slice(hubKind.length + 1);
        return topic === topicOfHub(hubId) && (await roleIn(ctx, roomOf(hubId), memberId)) !== undefined;
      },
      // What was written before somebody joined an encrypted hub is not for them, so they do not hear of it either.
      hearsAfter: async ({ memberId }, topic) =>
        await hearsFrom(ctx, roomOf(topic.slice(hubKind.length + 1)), memberId),
    },
  };
}

export function hubFrames(): FrameRules[] {
  return [
    onFrame(socialFrames.subscribeHub, async (sender, { hubId }) => {
      const topic = topicOfHub(hubId);
      if (await sender.subscribe(topic)) return { count: 1, refused: 0, refusedTopics: [] };
      return { count: 0, refused: 1, refusedTopics: [topic] };
    }),
    onFrame(socialFrames.unsubscribeHub, async (sender, { hubId }) => {
      sender.unsubscribe(topicOfHub(hubId));
      return { count: 1 };
    }),
  ];
}
