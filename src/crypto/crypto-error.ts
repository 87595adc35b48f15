/**
 * The only error that `src/crypto` throws: malformed, truncated or over-long input, a wrong key, a failed authentication,
 * a length or parameter out of range. The message names the thing and never holds a value, so it may be logged.
 */
export class CryptoError extends Error {
  override readonly name = 'CryptoError';
}
