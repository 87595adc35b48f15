import { CryptoError } from '../../crypto/crypto-error.ts';
import { deriveIdentity } from '../../crypto/identity.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { mnemonicToSeed } from '../../crypto/mnemonic.ts';
import { Problem } from '../../base/problem.ts';

/**
 * The key pair of a member of the quorum. It stays in this process.
 * @param phrase 12 to 24 words
 * @throws Problem invalid MNEMONIC_INVALID
 */
export async function memberKeys(phrase: string): Promise<KeyPair> {
  try {
    const seed = await mnemonicToSeed(phrase);
    try {
      return deriveIdentity(seed);
    } finally {
      seed.fill(0);
    }
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new Problem('invalid', 'MNEMONIC_INVALID', 'This is not a recovery phrase. Check the words and their order.');
  }
}
