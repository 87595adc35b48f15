import * as v from 'valibot';
import { event, eventTopic } from '../event.ts';
import { recordId, timestamp } from '../text.ts';
import { deliveryStatuses } from './fields.ts';
import { folders } from './limits.ts';

/** What happens in the mailbox of one member. */
export const mailTopic = eventTopic({
  kind: 'mail',
  parts: { memberId: 'id of the member' },
  summary: 'The mail of a member',
  description: 'Only the member can subscribe. After a `resync` read the list, or the changes, again.',
});

export const mailEvents = {
  received: event({
    name: 'email:new',
    topic: mailTopic,
    replayable: true,
    summary: 'A message arrived',
    description: 'It holds nothing of the content; the lists show it.',
    data: v.object({ id: recordId, messageId: v.string(), folder: v.picklist(folders), receivedAt: timestamp }),
  }),
  status: event({
    name: 'email:status',
    topic: mailTopic,
    replayable: true,
    summary: 'The delivery of a message that the member sent has another status',
    description: 'One event for each recipient.',
    data: v.object({
      id: v.nullable(recordId),
      messageId: v.string(),
      address: v.string(),
      status: v.picklist(deliveryStatuses),
      code: v.nullable(v.string()),
    }),
  }),
  read: event({
    name: 'email:read',
    topic: mailTopic,
    replayable: true,
    summary: 'The member read messages, or marked them as unread, anywhere',
    description: 'Only the own sockets of the member hear it.',
    data: v.object({ id: recordId, messageId: v.string(), read: v.boolean(), unreadCount: v.number() }),
  }),
  changed: event({
    name: 'email:changed',
    topic: mailTopic,
    replayable: true,
    summary: 'A message of the member was moved, labelled or deleted',
    description: 'Read the changes since the last known `modseq`.',
    data: v.object({ id: recordId, modseq: v.number(), deleted: v.boolean() }),
  }),
};
