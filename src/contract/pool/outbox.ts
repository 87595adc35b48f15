import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { timestamp } from '../text.ts';
import { administrators } from './fields.ts';

const waitingMessage = v.object({
  nodeId: v.pipe(v.string(), v.description('node that the message is for')),
  channel: v.pipe(v.string(), v.description('what the message is about, such as mail')),
  id: v.string(),
  size: v.pipe(v.number(), v.description('bytes of the message')),
  createdAt: timestamp,
  expiresAt: timestamp,
  sentAt: v.optional(v.pipe(timestamp, v.description('when it first left this node; missing if it never did'))),
  connected: v.pipe(v.boolean(), v.description('whether the node is connected now')),
  attempts: v.pipe(v.number(), v.description('failed attempts since the last success on this channel')),
  nextAttemptAt: v.optional(v.pipe(timestamp, v.description('missing if the message is sent without waiting'))),
  failure: v.optional(v.pipe(v.string(), v.description('why the last attempt failed'))),
  reason: v.optional(v.pipe(v.string(), v.description('the same for people'))),
});
export type WaitingMessage = v.InferOutput<typeof waitingMessage>;

/** Messages to other nodes that have no outcome yet. */
export const outbox = {
  outbox: operation({
    id: 'pool.outbox',
    method: 'GET',
    path: '/api/admin/pool/outbox',
    envelope: 'account',
    auth: administrators,
    summary: 'List the messages that wait for other nodes, in the order of sending, and why',
    description:
      'A message waits until the other node has signed what became of it, or until it expires. The messages of a channel for a node are sent in their order.',
    ...paged({
      name: 'messages',
      of: waitingMessage,
      more: {
        count: v.pipe(v.number(), v.description('number of all waiting messages, not only of this page')),
        bytes: v.pipe(v.number(), v.description('their size')),
      },
    }),
    status: 200,
    message: 'Outbox',
  }),
};
