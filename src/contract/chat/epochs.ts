import * as v from 'valibot';
import { operation, prefixed } from '../operation.ts';
import { keyRotation } from '../room-keys/fields.ts';
import { integer, memberId, recordId, timestamp } from '../text.ts';
import { epochErrors, sentEpoch } from './client-mode.ts';
import type { ContextType } from './conversation.ts';
import { chatLimits } from './limits.ts';
import { inConversation, roots } from './paths.ts';

const notThere = ['FORBIDDEN', 'CONVERSATION_NOT_FOUND'] as const;
const text = v.string();

const epoch = v.object({
  ...keyRotation,
  keyId: v.pipe(text, v.description('a hash of the key, 32 hex digits')),
  previousKeyId: v.pipe(v.nullable(text), v.description('of the epoch before; null for the first')),
  authorId: v.pipe(memberId, v.description('who made the key')),
  memberIds: v.pipe(v.array(memberId), v.description('to whom it is encrypted, in their order')),
  membersDigest: text,
  signature: v.pipe(text, v.description('of the author, hex')),
  createdAt: timestamp,
});
export type ChatEpoch = v.InferOutput<typeof epoch>;

/** The keys of conversations in mode `client`, which members make. */
function epochsOf<const T extends ContextType>(type: T) {
  const path = `${roots[type]}/:conversationId/epochs`;
  const common = { envelope: 'social', auth: 'member' } as const;
  return {
    epochs: operation({
      ...common,
      id: `chat.${type}-epochs`,
      method: 'GET',
      path,
      summary: 'List the epochs of a conversation in mode `client`, the oldest first',
      description:
        'Of each, who made its key and for whom, signed: so clients notice if the node adds somebody. It begins with the first one that you have the key of. In mode `server` it is empty.',
      input: v.object({
        ...inConversation,
        sinceEpoch: v.optional(
          v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.description('only epochs after this one')),
          0,
        ),
        limit: v.optional(
          v.pipe(integer(1, chatLimits.epochs), v.description('largest number of epochs in the answer')),
          chatLimits.epochs,
        ),
      }),
      reply: v.object({
        conversationId: recordId,
        epoch: v.pipe(v.number(), v.description('the current one')),
        closed: v.pipe(v.boolean(), v.description('whether a member has to make the next key before anything is sent')),
        epochs: v.array(epoch),
        hasMore: v.boolean(),
      }),
      status: 200,
      message: 'Epochs',
      errors: notThere,
    }),
    beginEpoch: operation({
      ...common,
      id: `chat.${type}-begin-epoch`,
      method: 'POST',
      path,
      summary: 'Make the next key of a conversation in mode `client`',
      description:
        'For all who have the current one and are still in it, and for members who wait for it; to give it to these needs the permission to add members. Of two clients that do so at once, one succeeds. Sent again, it changes nothing.',
      input: v.object({ ...inConversation, ...sentEpoch.entries }),
      reply: v.object({ conversationId: recordId, epoch: v.number() }),
      status: 200,
      message: 'Key made',
      errors: [...notThere, ...epochErrors],
      limit: { name: 'chatMembership' },
    }),
  };
}

export const epochs = {
  memberKey: operation({
    id: 'chat.member-key',
    method: 'GET',
    path: '/api/chat/members/:memberId/key',
    envelope: 'social',
    auth: 'member',
    summary: 'Read the public key of a member',
    description:
      'For conversations in mode `client`: keys are encrypted to it. The id of a member is a hash of the key. Of somebody whom you cannot reach there is none.',
    input: v.object({ memberId }),
    reply: v.object({
      memberId,
      username: text,
      publicKey: v.pipe(text, v.description('of secp256k1, compressed, hex')),
    }),
    status: 200,
    message: 'Public key',
    errors: ['MEMBER_NOT_FOUND'],
    limit: { name: 'chatRead' },
  }),
  ...prefixed('direct', epochsOf('direct')),
  ...prefixed('group', epochsOf('group')),
  ...prefixed('channel', epochsOf('channel')),
};
