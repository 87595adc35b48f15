import * as v from 'valibot';
import { hex, integer, memberId, recordId } from '../text.ts';
import { chatLimits } from './limits.ts';

/**
 * What members exchange in conversations that only they can read (mode `client`). Keys and messages are made by their clients; the form of both
 * is in `crypto/room-keys.ts` and `crypto/room-signatures.ts`.
 */

const epochNumber = integer(1, Number.MAX_SAFE_INTEGER);

/** An ECIES message of suite 1 with a key of 32 bytes. */
const WRAP_BYTES = 100;
const wrapped = v.pipe(hex(WRAP_BYTES), v.description('the key, encrypted with ECIES to the public key of the member'));

/** The next key of a conversation, made by one of its members. */
export const sentEpoch = v.object({
  epoch: v.pipe(epochNumber, v.description('one more than the current one; 1 for a new conversation')),
  keyId: v.pipe(hex(16), v.description('a hash of the key, which binds it')),
  membersDigest: v.pipe(hex(32), v.description('SHA-256 over the ids of those who get the key')),
  signature: v.pipe(hex(64), v.description('by you, over all of this and the key before')),
  wraps: v.pipe(
    v.array(v.object({ memberId, wrapped }), 'must be a list of wraps'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(chatLimits.clientMembers, `must be at most ${chatLimits.clientMembers}`),
  ),
});
export type SentEpoch = v.InferOutput<typeof sentEpoch>;

/** Bodies are shown as they are in mode `server`. */
export const onlyForClients = { 'x-in-example': false } as const;

/** With a change of who is in a conversation in mode `client`. */
export const epochOfChange = v.optional(
  v.pipe(
    sentEpoch,
    v.metadata(onlyForClients),
    v.description(
      'in mode `client`: the next key, for those who have the key after this change. Without it nothing can be sent until a member makes one',
    ),
  ),
);
export const epochOfAddition = v.optional(
  v.pipe(
    sentEpoch,
    v.metadata(onlyForClients),
    v.description('required in mode `client`: the next key, for those who are in it after this change'),
  ),
);

const modes = ['server', 'client'] as const;
export type ConversationMode = (typeof modes)[number];
export const conversationMode = v.pipe(
  v.picklist(modes, `must be one of ${modes.join(', ')}`),
  v.description(
    'who can read what is said: `client`, only its members; `server`, the node too, which can search it then. It never changes',
  ),
);

/** With what begins a conversation. */
export const beginningFields = {
  mode: v.optional(conversationMode, 'server'),
  conversationId: v.optional(
    v.pipe(
      recordId,
      v.metadata(onlyForClients),
      v.description('required in mode `client`, and only there: an id that you draw, 32 hex digits'),
    ),
  ),
  epoch: v.optional(
    v.pipe(
      sentEpoch,
      v.metadata(onlyForClients),
      v.description('required in mode `client`, and only there: the first key'),
    ),
  ),
};

/** @param bytes so many, or from 16 to so many */
export function base64(bytes: number | { readonly max: number }) {
  const most = typeof bytes === 'number' ? bytes : bytes.max;
  const what = typeof bytes === 'number' ? `must be ${bytes} bytes in base64` : `must be base64 of 16 to ${most} bytes`;
  const fits = (size: number): boolean => (typeof bytes === 'number' ? size === bytes : size >= 16 && size <= most);
  return v.pipe(
    v.string('must be text'),
    v.maxLength(4 * Math.ceil(most / 3), what),
    v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, what),
    v.check((text) => fits((text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)), what),
  );
}

/** A message that the node cannot read. */
export const envelope = v.object({
  epoch: v.pipe(epochNumber, v.description('of the key; it must be the current one')),
  revision: v.optional(
    v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.description('0 for a new message; one more with each edit')),
    0,
  ),
  nonce: v.pipe(base64(16), v.description('of AES-256-GCM, 16 random bytes, base64')),
  ciphertext: v.pipe(
    base64({ max: chatLimits.ciphertext }),
    v.description('the encrypted text, and after it the 16 bytes of the tag, base64'),
  ),
  signature: v.pipe(hex(64), v.description('of the sender, over what was sealed and its place')),
  mentions: v.optional(
    v.pipe(
      v.array(v.union([memberId, v.literal('all')], 'must be the id of a member, or all'), 'must be a list'),
      v.maxLength(chatLimits.mentions, `must be at most ${chatLimits.mentions}`),
      v.description('ids of members who are notified, or `all`; this the node can read'),
    ),
    [],
  ),
});
export type Envelope = v.InferOutput<typeof envelope>;

/** What can be wrong with a message in mode `client`. */
export const envelopeErrors = ['CLIENT_ENCRYPTED', 'EPOCH_CHANGED', 'EPOCH_CLOSED', 'INVALID_SIGNATURE'] as const;
/** What can be wrong with what begins a conversation. */
export const beginningErrors = ['CONVERSATION_ID_TAKEN', 'INVALID_SIGNATURE'] as const;
/** What can be wrong with a new key. */
export const epochErrors = ['EPOCH_CHANGED', 'INVALID_SIGNATURE'] as const;

/** What the keys of a conversation come with beside them. */
export const clientKeys = {
  oldestEpoch: v.pipe(
    v.nullable(v.number()),
    v.description(
      'the first epoch of whose key there is something for you: what was said before, you cannot read; null: none',
    ),
  ),
  closed: v.pipe(
    v.boolean(),
    v.description('in mode `client`: whether a member has to make the next key before anything is sent'),
  ),
};
