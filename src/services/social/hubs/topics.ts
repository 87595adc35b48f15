import type { FrameRules, TopicKind } from '../../../service/ports/realtime.ts';
import type { Context } from '../../../service/context.ts';
import { hubTopic, socialFrames } from '../../../contract/social/events.ts';
import { onFrame } from '../../../platform/realtime/frames.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { hubKind, roomOf } from './access.ts';
import { topicOfHub } from './changes.ts';

const joinedEncrypted = writtenQuery<{ joined_at: number }>(`
  select m.joined_at from social_hubs h join room_members m on m.kind = 'hub' and m.room_id = h.id
  where h.id = $1 and h.trust_tier = 'encrypted' and m.member_id = $2`);

/** Members of a hub hear of it. Whoever is banned is none, and a deleted hub has none. */
export function hubTopics(ctx: Context): Readonly<Record<string, TopicKind>> {
  return {
    [hubTopic.kind]: {
      allows: async ({ memberId }, topic) => {
        const hubId = topic.slice(hubKind.length + 1);
        return topic === topicOfHub(hubId) && (await roleIn(ctx, roomOf(hubId), memberId)) !== undefined;
      },
      // What was written before somebody joined an encrypted hub is not for them, so they do not hear of it either.
      hearsAfter: async ({ memberId }, topic) => {
        const [row] = (await ctx.db.executeQuery(joinedEncrypted(topic.slice(hubKind.length + 1), memberId))).rows;
        return row?.joined_at ?? Number.NEGATIVE_INFINITY;
      },
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
