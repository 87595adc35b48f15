import { combine, split } from 'shamir-secret-sharing';
import { assertInteger, assertLength, plain } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

const MAX_SHARES = 255;

/**
 * Shamir's secret sharing over GF(256), byte by byte. A share is one byte longer than the secret; its last byte is its coordinate.
 *
 * @param secret at least one byte
 * @param shares how many to make, at most 255
 * @param threshold how many of them are needed to recover the secret, 2 to `shares`; fewer reveal nothing
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
 * Recovers the secret from at least `threshold` shares. Too few shares, or a changed share, give wrong bytes and no error, so the caller
 * must check the result (with an authentication tag or a commitment).
 *
 * @throws CryptoError when there are fewer than 2 or more than 255 shares, or when shares are empty, have different lengths, or have
 *   equal or impossible coordinates
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
