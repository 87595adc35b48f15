import * as v from 'valibot';
import { operation } from '../operation.ts';
import { line, recordId, timestamp } from '../text.ts';
import { notificationLimits } from './limits.ts';

const root = '/api/social/notifications';
const subscriptions = `${root}/push-subscriptions`;

function base64url(bytes: number, what: string) {
  const length = Math.ceil((bytes * 4) / 3);
  return v.pipe(
    v.string('must be text'),
    v.maxLength(length + 3, `must be ${bytes} bytes as base64url`),
    v.regex(new RegExp(`^[A-Za-z0-9_-]{${length}}=*$`), `must be ${bytes} bytes as base64url`),
    v.transform((text) => text.replace(/=+$/, '')),
    v.description(what),
  );
}

const endpoint = v.pipe(
  line(notificationLimits.endpoint),
  v.description('URL of the subscription at its push service'),
);

const subscription = v.object({
  id: recordId,
  origin: v.pipe(v.string(), v.description('of the push service; the whole endpoint is shown to nobody')),
  userAgent: v.pipe(v.string(), v.description('of the browser that subscribed')),
  current: v.pipe(v.boolean(), v.description('whether this session made it')),
  createdAt: timestamp,
  pushedAt: v.pipe(v.nullable(timestamp), v.description('of the last message that its push service took')),
});
export type PushSubscription = v.InferOutput<typeof subscription>;

/** Push messages to browsers (RFC 8030, 8291, 8292). */
export const pushNotifications = {
  vapidKey: operation({
    id: 'notifications.vapid-key',
    method: 'GET',
    path: `${root}/vapid-key`,
    envelope: 'social',
    auth: 'member',
    summary: 'Show the key by which push services know this node',
    description: 'Browsers take it as `applicationServerKey`.',
    input: v.object({}),
    reply: v.object({
      publicKey: v.pipe(v.string(), v.description('65 bytes on P-256, uncompressed, as base64url')),
    }),
    status: 200,
    message: 'Key of the node',
    errors: ['PUSH_DISABLED'],
  }),
  listSubscriptions: operation({
    id: 'notifications.list-push-subscriptions',
    method: 'GET',
    path: subscriptions,
    envelope: 'social',
    auth: 'member',
    summary: 'List your browsers that get push messages',
    description: `Of all your sessions, at most ${notificationLimits.subscriptions}.`,
    input: v.object({}),
    reply: v.object({ subscriptions: v.array(subscription) }),
    status: 200,
    message: 'Push subscriptions',
    errors: [],
  }),
  subscribe: operation({
    id: 'notifications.add-push-subscription',
    method: 'POST',
    path: subscriptions,
    envelope: 'social',
    auth: 'member',
    summary: 'Have notifications pushed to this browser',
    description:
      'The body is what `PushSubscription.toJSON()` gives. The same endpoint again replaces its keys. It ends with the session. The endpoint ' +
      'has to be https at public addresses. It is asked for nothing until there is a notification.',
    input: v.object({
      endpoint,
      expirationTime: v.optional(v.nullable(v.pipe(v.number(), v.description('not regarded')))),
      keys: v.object({
        p256dh: base64url(65, 'public key of the browser, on P-256, uncompressed'),
        auth: base64url(16, 'authentication secret of the browser'),
      }),
    }),
    reply: v.object({ subscription }),
    status: 201,
    message: 'Subscribed',
    errors: ['PUSH_DISABLED', 'PUSH_ENDPOINT_REFUSED', 'PUSH_SUBSCRIPTIONS_FULL'],
  }),
  unsubscribe: operation({
    id: 'notifications.remove-push-subscription',
    method: 'DELETE',
    path: subscriptions,
    envelope: 'social',
    auth: 'member',
    summary: 'End push messages to a browser',
    description: 'Name it by its endpoint, as browsers know it, or by the id of the list.',
    input: v.object({
      endpoint: v.optional(endpoint),
      subscriptionId: v.optional(recordId),
    }),
    reply: v.object({ subscriptionId: recordId }),
    status: 200,
    message: 'Unsubscribed',
    errors: ['PUSH_SUBSCRIPTION_NOT_FOUND'],
  }),
};
