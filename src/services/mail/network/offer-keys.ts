import type { Context } from '../../../service/context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../../crypto/ecies.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { offerContext, secretContext } from './wire.ts';

/**
 * Keys of offers. A node makes a secret for each node that it writes to, encrypted to the public key of that node with ECIES, and takes it
 * for a minute: the curve would be a sixth of the work of both nodes otherwise. Each offer has a key of its own, which HKDF-SHA256 derives
 * from the secret and the names of the offer and of both nodes. Secrets are in memory alone.
 */
const SECRET_BYTES = 32;
/** A secret is taken so long, and so often. */
const LIFE_MS = 60 * 1000;
const MOST_OFFERS = 10_000;
/** Secrets of other nodes that are not decrypted again. */
const MOST_KNOWN = 500;

export interface Receiver {
  readonly nodeId: string;
  /** hex */
  readonly publicKey: string;
}

interface Secret {
  readonly receiver: string;
  readonly secret: Uint8Array;
  readonly encrypted: Uint8Array;
  readonly madeAt: number;
  offers: number;
}

type Keys = Context['keys'];
const made = new WeakMap<Keys, Map<string, Secret>>();
const opened = new WeakMap<Keys, Map<string, Uint8Array>>();

/** @returns the key of an offer, 32 bytes, and the secret that it comes from, encrypted to the receiver */
export function offerKey(
  { keys, random, clock }: Pick<Context, 'keys' | 'random' | 'clock'>,
  offerId: string,
  receiver: Receiver,
): { readonly key: Uint8Array; readonly encryptedSecret: Uint8Array } {
  const known = made.get(keys) ?? new Map<string, Secret>();
  made.set(keys, known);
  const { nodeId, publicKey } = receiver;
  const now = clock.now();
  let found = known.get(nodeId);
  // Another key of the same node, and a clock that went back, need a new secret as well.
  const fits =
    found?.receiver === publicKey && now >= found.madeAt && now < found.madeAt + LIFE_MS && found.offers < MOST_OFFERS;
  if (found === undefined || !fits) {
    for (const [other, { madeAt }] of known) if (now >= madeAt + LIFE_MS) known.delete(other);
    const secret = random(SECRET_BYTES);
    const context = secretContext(keys.nodeId, nodeId);
    const encrypted = eciesEncrypt(fromHex(publicKey), secret, context, 'basic', random);
    found = { receiver: publicKey, secret, encrypted, madeAt: now, offers: 0 };
    known.set(nodeId, found);
  }
  found.offers += 1;
  const key = deriveKey(found.secret, offerContext(offerId, keys.nodeId, nodeId));
  return { key, encryptedSecret: found.encrypted };
}

/** The key of an offer of another node. @param text its secret, as base64. @throws CryptoError */
export function keyOfOffer({ keys }: Pick<Context, 'keys'>, offerId: string, sender: string, text: string): Uint8Array {
  const known = opened.get(keys) ?? new Map<string, Uint8Array>();
  opened.set(keys, known);
  const name = `${sender} ${text}`;
  let secret = known.get(name);
  if (secret === undefined) {
    secret = eciesDecrypt(keys.identity.privateKey, Buffer.from(text, 'base64'), secretContext(sender, keys.nodeId));
    const [oldest] = known.keys();
    if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    known.set(name, secret);
  }
  return deriveKey(secret, offerContext(offerId, sender, keys.nodeId));
}
