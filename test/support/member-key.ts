import { authenticate } from '../../src/accounts/authenticate.ts';
import { openMemberKey } from '../../src/accounts/session-key.ts';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import type { KeyPair } from '../../src/crypto/key-pair.ts';
import { mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { sign } from '../../src/crypto/signature.ts';
import type { House } from './house.ts';

/** The identity that a recovery phrase gives, as a member's own machine derives it. */
export async function identityOf(mnemonic: string): Promise<KeyPair> {
  return deriveIdentity(await mnemonicToSeed(mnemonic));
}

/** The private key that the session of a token opens, hex. Rejects as the service does where it has none. */
export async function sessionKey(house: House, token: string): Promise<string> {
  const actor = await authenticate(house.ctx, token, { address: 'test', userAgent: 'test' }, { local: false });
  return toHex(await openMemberKey(house.ctx, actor));
}

/** What a member's machine answers to a challenge: both as hex. */
export async function signChallenge(mnemonic: string, challenge: string): Promise<string> {
  return toHex(sign((await identityOf(mnemonic)).privateKey, fromHex(challenge)));
}
