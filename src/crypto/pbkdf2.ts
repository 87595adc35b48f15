import { pbkdf2 as derive } from 'node:crypto';
import { plain } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

/**
 * PBKDF2-HMAC (RFC 8018) on the thread pool. The caller checks lengths and iterations.
 *
 * @param length bytes wanted
 */
export async function pbkdf2(
  digest: 'sha256' | 'sha512',
  secret: Uint8Array,
  salt: Uint8Array,
  iterations: number,
  length: number,
): Promise<Uint8Array> {
  return await new Promise((resolve, reject) => {
    derive(secret, salt, iterations, length, digest, (cause, key) => {
      if (cause === null) resolve(plain(key));
      else reject(new CryptoError('key derivation failed', { cause }));
    });
  });
}
