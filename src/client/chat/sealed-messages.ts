import * as v from 'valibot';
import type { Envelope } from '../../contract/chat/client-mode.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { messageText } from '../../contract/chat/message.ts';
import { recordId } from '../../contract/text.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { concat, fromHex, fromUtf8, systemRandom, toHex, utf8, type Random } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { openMessage, sealMessage, type MessagePlace, type Room } from '../../crypto/room-keys.ts';
import { messageStatement } from '../../crypto/room-signatures.ts';
import { sign } from '../../crypto/signature.ts';
import { padded } from './padding.ts';

/** `sealWithKey`: form, nonce, tag, ciphertext */
const NONCE_START = 1;
const TAG_START = NONCE_START + 16;
const BODY_START = TAG_START + 16;

const text = v.string();
const file = v.object({
  id: recordId,
  filename: v.pipe(text, v.minLength(1), v.maxLength(chatLimits.filename)),
  mimeType: v.pipe(text, v.maxLength(255)),
  size: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** of the file, 32 bytes in base64 */
  key: v.pipe(text, v.regex(/^[A-Za-z0-9+/]{43}=$/)),
});
const said = v.object({
  content: messageText,
  replyToMessageId: v.optional(recordId),
  attachments: v.optional(v.pipe(v.array(file), v.maxLength(chatLimits.attachments))),
});

/** What a message says that only members can read. What stands in it counts more than what the node says beside it. */
export type Said = v.InferOutput<typeof said>;
export type SaidFile = v.InferOutput<typeof file>;

/**
 * Seals what a member says, for its place.
 * @param place `messageId` is what the sender calls the message, 32 hex digits
 * @throws Problem invalid VALIDATION_ERROR for a text that no message may have, or that is too large
 */
export function sealSaid(
  own: KeyPair,
  key: Uint8Array,
  room: Room,
  place: Required<MessagePlace>,
  what: Said,
  random: Random = systemRandom,
): Omit<Required<Envelope>, 'mentions'> {
  const sealed = sealMessage(key, room, place, padded(jsonOf(what)), random);
  const ciphertext = concat(sealed.subarray(BODY_START), sealed.subarray(TAG_START, BODY_START));
  if (ciphertext.length > chatLimits.ciphertext)
    throw fieldProblem('content', `must be shorter: with its files it has more than ${chatLimits.ciphertext} bytes`);
  return {
    epoch: place.epoch,
    revision: place.revision ?? 0,
    nonce: base64(sealed.subarray(NONCE_START, TAG_START)),
    ciphertext: base64(ciphertext),
    signature: toHex(sign(own.privateKey, messageStatement(room, place, sealed))),
  };
}

/** @throws Problem invalid VALIDATION_ERROR */
function jsonOf(what: Said): Uint8Array {
  const checked = v.safeParse(said, what);
  if (!checked.success) throw fieldProblem('content', checked.issues[0].message);
  try {
    return utf8(JSON.stringify(checked.output));
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw fieldProblem('content', 'is not well-formed Unicode', { cause });
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** A text as the node answers it. */
export interface SealedText {
  readonly place: Required<MessagePlace>;
  /** form, nonce, tag and ciphertext in base64 */
  readonly encryptedContent: string;
  /** hex */
  readonly signature: string;
}

/** Whether somebody signed something with their key. */
export type IsSignedBy = (memberId: string, statement: Uint8Array, signature: Uint8Array) => boolean;

/**
 * Opens what a member said.
 * @throws Problem network MESSAGE_SIGNATURE_FOREIGN, MESSAGE_DAMAGED, MESSAGE_FORM_UNKNOWN
 */
export function openSaid(
  key: Uint8Array,
  room: Room,
  { place, encryptedContent, signature }: SealedText,
  isSignedBy: IsSignedBy,
  sender: string,
): Said {
  const sealed = new Uint8Array(Buffer.from(encryptedContent, 'base64'));
  if (!isSigned(room, place, sealed, signature, isSignedBy))
    throw unfit('MESSAGE_SIGNATURE_FOREIGN', `The signature of this message is not ${sender}'s.`);
  const bytes = orUndefined(() => openMessage(key, room, place, sealed));
  if (bytes === undefined)
    throw unfit('MESSAGE_DAMAGED', `This message of ${sender} does not open with the key that it names.`);
  const read = v.safeParse(said, valueIn(bytes));
  if (read.success) return read.output;
  throw unfit(
    'MESSAGE_FORM_UNKNOWN',
    `This program cannot read this message of ${sender}. Theirs may be newer: update this one.`,
  );
}

function isSigned(
  room: Room,
  place: MessagePlace,
  sealed: Uint8Array,
  signature: string,
  isSignedBy: IsSignedBy,
): boolean {
  return (
    orUndefined(() => isSignedBy(place.senderId, messageStatement(room, place, sealed), fromHex(signature))) === true
  );
}

function valueIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(fromUtf8(bytes)) as unknown;
  } catch (error) {
    if (error instanceof CryptoError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

/** Why one message is not shown. The others are. */
export function unfit(code: ConstructorParameters<typeof Problem>[1], message: string): Problem {
  return new Problem('network', code, message);
}
