import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { Address } from '../message/addresses.ts';

/** What lists and headers show of a member's copy. It is encrypted, because the text of a message must not lie in the database. */
export interface Summary {
  readonly from: Address;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  /** of what the member sent */
  readonly bcc?: readonly Address[];
  readonly replyTo?: readonly Address[];
  /** the first id, or null */
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly preview: string;
}

const context = (id: string) => utf8(`conclave/mail/summary/v1\0${id}`);

/** Opens and seals the summaries of many messages. */
export interface Summaries {
  seal(this: void, id: string, summary: Summary): Uint8Array;
  /** @throws CryptoError */
  open(this: void, id: string, sealed: Uint8Array): Summary;
}

export function summaries({ keys, random }: Pick<Context, 'keys' | 'random'>): Summaries {
  const key = derived(keys.wrap, 'conclave/mail/summaries/v1');
  return {
    seal: (id, summary) => sealWithKey(key, utf8(JSON.stringify(summary)), context(id), random),
    open: (id, sealed) => JSON.parse(Buffer.from(openWithKey(key, sealed, context(id))).toString('utf8')) as Summary,
  };
}

/** The search space of a member. Its words lie in the database as their HMAC alone. */
export function searchSpace({ keys }: Pick<Context, 'keys'>, memberId: string) {
  return { name: `mail:${memberId}`, key: derived(keys.wrap, `conclave/mail/search/v1/${memberId}`) };
}

/** Each message needs three such keys, and to derive them took a twentieth of the time of sending it. */
const known = new WeakMap<Uint8Array, Map<string, Uint8Array>>();
/** of members who wrote or got messages last */
const MOST_KNOWN = 1_000;

function derived(secret: Uint8Array, info: string): Uint8Array {
  const keys = known.get(secret) ?? new Map<string, Uint8Array>();
  known.set(secret, keys);
  const key = keys.get(info) ?? deriveKey(secret, info);
  // What was used last is at the end.
  keys.delete(info);
  keys.set(info, key);
  const [oldest] = keys.keys();
  if (keys.size > MOST_KNOWN && oldest !== undefined) keys.delete(oldest);
  return key;
}
