import { combine, split } from 'shamir-secret-sharing';
import { assertInteger, assertLength, plain } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

const MAX_SHARES = 255;

/**
 * Shamir's secret sharing over GF(256), byte by byte. A share is one byte longer than the secret; its last byte is its coordinate.
 *
 * @param secret at least one byte
 * @param shares how many to make, at most 255
 * @param threshold how many of them give the secret back, 2 to `shares`; fewer tell nothing
 * @throws CryptoError
 */
export async function splitSecret(secret: Uint8Array, shares: number, threshold: number): Promise<Uint8Array[]> {
  assertLength('secret', secret);
  if (secret.length === 0) throw new CryptoError('secret must not be empty');
  assertInteger('number of shares', shares, 2, MAX_SHARES);
  assertInteger('threshold', threshold, 2, shares);
  return await split(plain(secret), shares, threshold);
}

/**
 * The secret of at least `threshold` shares. Too few shares, or a changed one, give other bytes and no error: whoever needs to know
 * checks the result (an authentication tag, a commitment).
 *
 * @throws CryptoError when shares are empty, of different lengths, of the same or an impossible coordinate, fewer than 2 or more than 255
 */
export async function combineShares(shares: readonly Uint8Array[]): Promise<Uint8Array> {
  assertInteger('number of shares', shares.length, 2, MAX_SHARES);
  for (const share of shares) {
    assertLength('share', share);
    // At coordinate 0 the share would be the secret itself, and one forged share would decide the result.
    if (share.at(-1) === 0) throw new CryptoError('share has an impossible coordinate');
  }
  try {
    return await combine(shares.map(plain));
  } catch (cause) {
    throw new CryptoError('shares do not fit together', { cause });
  }
}
