import type { Context } from '../../service/context.ts';
import { fromUtf8, utf8 } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { keysDamaged } from '../group-keys/problems.ts';

/** Seals a value as JSON under the key of the node. @param purpose what it is, and whose: it opens for that alone */
export function sealJson(
  { keys, random }: Pick<Context, 'keys' | 'random'>,
  purpose: string,
  value: unknown,
): Uint8Array {
  return sealWithKey(keys.wrap, utf8(JSON.stringify(value)), utf8(purpose), random);
}

/** @param damaged the problem of what does not open @throws Problem internal STORE_DAMAGED */
export function openJson(
  { keys }: Pick<Context, 'keys'>,
  purpose: string,
  sealed: Uint8Array,
  damaged: (cause: unknown) => Error = keysDamaged,
): unknown {
  try {
    return JSON.parse(fromUtf8(openWithKey(keys.wrap, sealed, utf8(purpose))));
  } catch (error) {
    throw error instanceof CryptoError ? damaged(error) : error;
  }
}
