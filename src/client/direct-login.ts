import { keyPairOf } from '../crypto/key-pair.ts';
import { fromHex, toHex } from '../crypto/bytes.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { deriveIdentity } from '../crypto/identity.ts';
import { mnemonicToSeed } from '../crypto/mnemonic.ts';
import { sign } from '../crypto/signature.ts';
import { accounts } from '../contract/accounts.ts';
import { Problem } from '../problem.ts';
import { perform, type Caller } from './perform.ts';

/**
 * Signs in without a password: the server's challenge is signed with the member's key, which never leaves this process.
 *
 * @param name a username or an e-mail address
 * @param secret the recovery phrase, or the private key as 64 hex digits
 * @returns the session's token
 * @throws Problem invalid KEY_INVALID for a secret that is neither
 */
export async function directLogin(caller: Caller, name: string, secret: string): Promise<string> {
  const privateKey = await privateKeyOf(secret);
  const { challenge } = await perform(caller, accounts.requestDirectLogin, {});
  const signature = toHex(sign(privateKey, fromHex(challenge)));
  const who = name.includes('@') ? { email: name } : { username: name };
  const { token } = await perform(caller, accounts.directChallenge, { challenge, signature, ...who });
  return token;
}

async function privateKeyOf(secret: string): Promise<Uint8Array> {
  try {
    const text = secret.trim();
    if (/^[0-9a-f]{64}$/i.test(text)) return keyPairOf(fromHex(text)).privateKey;
    return deriveIdentity(await mnemonicToSeed(text)).privateKey;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw new Problem(
      'invalid',
      'KEY_INVALID',
      'This is neither a recovery phrase nor a private key of 64 hex digits.',
    );
  }
}
