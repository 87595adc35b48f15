import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, recordId } from '../text.ts';
import { messageRequest, messageRequestStates } from './message.ts';

const root = '/api/social/messages/requests';
const common = { envelope: 'social', auth: 'member' } as const;

const decision = {
  ...common,
  method: 'POST',
  input: v.object({ id: recordId, userId: actorField }),
  reply: v.object({ request: messageRequest }),
  status: 200,
  errors: ['MESSAGE_REQUEST_NOT_FOUND', 'MESSAGE_REQUEST_CLOSED'],
} as const;

/** Requests of members to write to each other, prefix `/api/social/messages/requests`. */
export const messageRequests = {
  listMessageRequests: operation({
    ...common,
    id: 'social.message-requests',
    method: 'GET',
    path: root,
    summary: 'List the message requests that you got, the newest first',
    description: 'Its messages can be read before you decide: the sender does not learn of that.',
    ...paged({
      name: 'requests',
      of: messageRequest,
      filter: {
        userId: actorField,
        status: v.optional(
          v.picklist(messageRequestStates, `must be one of ${messageRequestStates.join(', ')}`),
          'pending',
        ),
      },
      end: 'null',
    }),
    status: 200,
    message: 'Message requests',
  }),
  acceptMessageRequest: operation({
    ...decision,
    id: 'social.accept-message-request',
    path: `${root}/:id/accept`,
    summary: 'Accept a message request',
    description: 'The conversation is among your others from then on. An answer to it accepts it too.',
    message: 'Message request accepted',
  }),
  declineMessageRequest: operation({
    ...decision,
    id: 'social.decline-message-request',
    path: `${root}/:id/decline`,
    summary: 'Decline a message request',
    description: 'Its sender is told nothing, and can send no more. If you write to them later, it is accepted.',
    message: 'Message request declined',
  }),
};
