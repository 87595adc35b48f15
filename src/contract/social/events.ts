import * as v from 'valibot';
import { clientFrame, event, eventTopic } from '../event.ts';
import { keyRotation } from '../room-keys/fields.ts';
import { serverFrames } from '../realtime/frames.ts';
import { recordId, timestamp } from '../text.ts';

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
