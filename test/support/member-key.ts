import { authenticate } from '../../src/shared/members/authenticate.ts';
import { openMemberKey } from '../../src/shared/members/session-key.ts';
import { accounts } from '../../src/contract/accounts.ts';
import { concat, fromHex, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../src/crypto/identity.ts';
import type { KeyPair } from '../../src/crypto/key-pair.ts';
import { mnemonicToSeed } from '../../src/crypto/mnemonic.ts';
import { sign } from '../../src/crypto/signature.ts';
import type { House } from './house.ts';
import type { HouseMember } from './prepared-member.ts';

/** The identity that a recovery phrase gives, as a member's own machine derives it. */
export async function identityOf(mnemonic: string): Promise<KeyPair> {
  return deriveIdentity(await mnemonicToSeed(mnemonic));
}

/** The private key that the session of a token opens, hex. Rejects as the service does where it has none. */
export async function sessionKey(house: House, token: string): Promise<string> {
  const actor = await authenticate(house.ctx, token, { address: 'test', userAgent: 'test' }, { local: false });
  return toHex(await openMemberKey(house.ctx, actor));
}

/** What a member's machine answers to a challenge, to sign in at the node with this key: all as hex. */
export async function signChallenge(mnemonic: string, challenge: string, nodeKey: string): Promise<string> {
  const statement = concat(utf8('conclave/direct-login/v1\n'), fromHex(nodeKey), fromHex(challenge));
  return toHex(sign((await identityOf(mnemonic)).privateKey, statement));
}

/** Lets a member sign in by key, which is off until they switch it on. */
export async function allowDirectLogin(house: House, { token }: Pick<HouseMember, 'token'>): Promise<void> {
  const { status } = await house.perform(accounts.updateSettings, { directChallenge: true }, token);
  if (status !== 200) throw new Error(`settings: ${status}`);
}

/** A good answer of a member who lets themselves in by key. */
export async function directAnswer(
  house: House,
  member: HouseMember,
): Promise<{ challenge: string; signature: string; username: string }> {
  await allowDirectLogin(house, member);
  const { challenge, serverPublicKey } = (await house.perform(accounts.requestDirectLogin, {})).body;
  const signature = await signChallenge(member.mnemonic, challenge, serverPublicKey);
  return { challenge, signature, username: member.username };
}
