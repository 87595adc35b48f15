import { fromHex } from '../crypto/bytes.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { deriveIdentity } from '../crypto/identity.ts';
import { keyPairOf, type KeyPair } from '../crypto/key-pair.ts';
import { mnemonicToSeed } from '../crypto/mnemonic.ts';
import { memberIdOf } from '../crypto/public-key.ts';
import { Problem } from '../base/problem.ts';

/**
 * The key pair of a member. It stays in this process.
 * @param secret the recovery phrase, or the private key as 64 hex digits
 * @throws Problem invalid KEY_INVALID for a secret that is neither
 */
export async function keyPairFrom(secret: string): Promise<KeyPair> {
  try {
    const text = secret.trim();
    if (/^[0-9a-f]{64}$/i.test(text)) return keyPairOf(fromHex(text));
    return deriveIdentity(await mnemonicToSeed(text));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw new Problem(
      'invalid',
      'KEY_INVALID',
      'This is not a recovery phrase, and not a private key of 64 hex digits.',
    );
  }
}

export function isKeyOf({ publicKey }: KeyPair, memberId: string): boolean {
  return memberIdOf(publicKey) === memberId;
}
