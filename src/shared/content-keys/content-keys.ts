import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { utf8 } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';

/** Keys of what members have in one place, such as a calendar or an address book. Who deletes the row of the place erases its content. */

const KEY_BYTES = 32;

/**
 * A new key, as the row of its place has it.
 * @param purpose kind and id of the place, such as `calendar:<id>`
 */
export function sealedContentKey({ keys, random }: Pick<Context, 'keys' | 'random'>, purpose: string): Uint8Array {
  const key = random(KEY_BYTES);
  try {
    return sealWithKey(keys.wrap, key, utf8(purpose), random);
  } finally {
    key.fill(0);
  }
}

/**
 * The key of what a place has. Overwrite it after use.
 * @param what the place in words, such as `a calendar`
 * @returns 32 bytes
 * @throws Problem internal STORE_DAMAGED
 */
export function openContentKey(
  { keys }: Pick<Context, 'keys'>,
  sealed: Uint8Array,
  purpose: string,
  what: string,
): Uint8Array {
  try {
    return openWithKey(keys.wrap, sealed, utf8(purpose));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = `The key of ${what} does not open. The store is damaged: restore it from a backup.`;
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  }
}
