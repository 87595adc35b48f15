import * as v from 'valibot';
import { messageText } from '../../contract/chat/message.ts';
import { recordId } from '../../contract/text.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { fromUtf8, systemRandom, utf8, type Random } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { deriveKey } from '../../crypto/hkdf.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { padded } from './padding.ts';

const draft = v.object({ content: messageText, replyToMessageId: v.optional(recordId) });
export type DraftText = v.InferOutput<typeof draft>;

/**
 * Seals a draft to its author, in a conversation that only members can read: with AES-256-GCM under a key that is derived from their private key, so
 * that nobody else can make one either. Conversation and author are authenticated.
 * @returns base64
 * @throws Problem invalid VALIDATION_ERROR for a text that no message may have
 */
export function sealDraft(own: KeyPair, place: DraftPlace, text: DraftText, random: Random = systemRandom): string {
  const checked = v.safeParse(draft, text);
  if (!checked.success) throw fieldProblem('content', checked.issues[0].message);
  const bytes = padded(utf8(JSON.stringify(checked.output)));
  return Buffer.from(withKey(own, (key) => sealWithKey(key, bytes, contextOf(place), random))).toString('base64');
}

interface DraftPlace {
  readonly conversationId: string;
  readonly memberId: string;
}

/** @throws Problem network MESSAGE_DAMAGED if it is none that this member sealed for this conversation */
export function openDraft(own: KeyPair, place: DraftPlace, sealed: string): DraftText {
  try {
    const bytes = withKey(own, (key) => openWithKey(key, Buffer.from(sealed, 'base64'), contextOf(place)));
    return v.parse(draft, JSON.parse(fromUtf8(bytes)));
  } catch (error) {
    if (!(error instanceof CryptoError || error instanceof SyntaxError || error instanceof v.ValiError)) throw error;
    const message =
      'The draft that the node has is none that you sealed for this conversation. Keep another one instead.';
    throw new Problem('network', 'MESSAGE_DAMAGED', message, { cause: error });
  }
}

function withKey<T>({ privateKey }: KeyPair, work: (key: Uint8Array) => T): T {
  const key = deriveKey(privateKey, 'conclave/chat/draft-key/v1');
  try {
    return work(key);
  } finally {
    key.fill(0);
  }
}

function contextOf({ conversationId, memberId }: DraftPlace): Uint8Array {
  return utf8(['conclave/chat/sealed-draft/v1', conversationId, memberId].join('\0'));
}
