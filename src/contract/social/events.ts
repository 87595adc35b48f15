import * as v from 'valibot';
import { clientFrame, event, eventTopic } from '../event.ts';
import { keyRotation } from '../room-keys/fields.ts';
import { serverFrames } from '../realtime/frames.ts';
import { memberId, recordId, timestamp } from '../text.ts';

/** What happens in one hub. */
export const hubTopic = eventTopic({
  kind: 'hub',
  parts: { hubId: 'id of the hub' },
  summary: 'A hub of the social network',
  description: 'Members of the hub can subscribe. The subscription ends with the membership.',
});

export const socialEvents = {
  hubPost: event({
    name: 'hub:post:new',
    topic: hubTopic,
    replayable: true,
    summary: 'A post was written in a hub',
    description:
      'It names the post alone. Show the post for its content. Whoever a block parts from its author does not hear of it.',
    data: v.object({ post: v.object({ _id: recordId, hubIds: v.array(recordId), createdAt: timestamp }) }),
  }),
  hubPostRemoved: event({
    name: 'hub:post:removed',
    topic: hubTopic,
    replayable: true,
    summary: 'A post is not in a hub any more',
    description:
      'Its author deleted it or left, or a moderator took it out. Of an author who left, the latest posts are told. Take it away, and what shows it: reposts, and what quotes have of it. In other hubs it may be there. Whoever did not see it does not hear of it.',
    data: v.object({ postId: recordId, hubId: recordId }),
  }),
  hubAuthorHidden: event({
    name: 'hub:author:hidden',
    topic: hubTopic,
    replayable: true,
    summary: 'The posts of a member in a hub are not shown any more',
    description:
      'Take all posts of this author away, and what shows them: reposts, and what quotes have of them. The account is suspended. Whoever saw none of them does not hear of it.',
    data: v.object({ hubId: recordId, authorId: memberId }),
  }),
  hubKeyRotated: event({
    name: 'hub:key_rotated',
    topic: hubTopic,
    replayable: true,
    summary: 'An encrypted hub has a new key, because its members changed',
    description: 'It has no key. Members read theirs with `social.hub-keys`. Whoever left does not hear of it.',
    data: v.object({ hubId: recordId, ...keyRotation }),
  }),
};

const ofHub = { input: v.object({ hubId: recordId }) };

export const socialFrames = {
  subscribeHub: clientFrame({
    ...ofHub,
    type: 'subscribe:hub',
    summary: 'Subscribe to a hub',
    description: 'As `subscribe` with the topic of the hub.',
    answer: serverFrames.subscribed,
    errors: [],
  }),
  unsubscribeHub: clientFrame({
    ...ofHub,
    type: 'unsubscribe:hub',
    summary: 'Unsubscribe from a hub',
    description: '',
    answer: serverFrames.unsubscribed,
    errors: [],
  }),
};
