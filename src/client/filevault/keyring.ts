import { filevault } from '../../contract/filevault.ts';
import { filevaultLimits } from '../../contract/filevault/limits.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { eciesDecrypt, eciesEncrypt } from '../../crypto/ecies.ts';
import { containerKeyContext, containerKeyStatement } from '../../crypto/formats/file-content/file-content.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { recoverMemberKey, sign } from '../../crypto/signature.ts';
import { Problem } from '../../base/problem.ts';
import { perform, type Caller } from '../perform.ts';

/** A client-encrypted container, as its members know it. */
export interface ClientContainer {
  readonly id: string;
  readonly ownerId: string;
}

type Shown = ReplyOf<typeof filevault.showKeys>;
export type Holder = NonNullable<Shown['members']>[number];
type Recipient = Pick<Holder, 'memberId' | 'publicKey'>;

/** The keys of a container that a member has, opened on this machine. */
export interface Keyring {
  /** by their numbers */
  readonly keys: ReadonlyMap<number, Uint8Array>;
  /** number of the newest key; 0: there is none */
  readonly newest: number;
  /** whether somebody who has the newest key lost access */
  readonly outdated: boolean;
  /** undefined for a member who gives no keys */
  readonly members: readonly Holder[] | undefined;
}

/**
 * Gets the keys of a container and opens them. The owner must have signed each of them: anybody could encrypt a key of their own to a member.
 *
 * @param own of the member
 * @throws Problem network CONTAINER_KEY_FOREIGN
 */
export async function openKeyring(caller: Caller, container: ClientContainer, own: KeyPair): Promise<Keyring> {
  const { keys, newest, outdated, members } = await perform(caller, filevault.showKeys, { id: container.id });
  const opened = keys.map((key) => [key.number, openKey(container, own, key)] as const);
  return { keys: new Map(opened), newest, outdated, members };
}

function openKey({ id, ownerId }: ClientContainer, own: KeyPair, given: Shown['keys'][number]): Uint8Array {
  const { number, wrapped, signature } = given;
  try {
    const key = eciesDecrypt(own.privateKey, fromHex(wrapped), containerKeyContext(id, number));
    const statement = containerKeyStatement(id, number, key);
    if (recoverMemberKey(fromHex(signature), statement, ownerId) !== undefined) return key;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
  }
  throw new Problem(
    'network',
    'CONTAINER_KEY_FOREIGN',
    `The server sent a key ${number} of the container that its owner did not make for you. Nothing was encrypted or opened with it.`,
  );
}

/**
 * Makes the next key of a container, for its owner and for everybody who has the one before.
 * @param random gives so many random bytes
 * @returns who got it, beside the owner
 */
export async function makeKey(
  caller: Caller,
  container: ClientContainer,
  own: KeyPair,
  keyring: Keyring,
  random: (size: number) => Uint8Array,
): Promise<Holder[]> {
  const { newest, members = [] } = keyring;
  const number = newest + 1;
  const key = random(32);
  const others = members.filter(({ memberId, numbers }) => memberId !== container.ownerId && numbers.length > 0);
  const holders = [{ memberId: container.ownerId, publicKey: toHex(own.publicKey) }, ...others];
  await perform(caller, filevault.addKeys, {
    id: container.id,
    newest,
    number,
    signature: toHex(sign(own.privateKey, containerKeyStatement(container.id, number, key))),
    wraps: wrapsFor(container, holders.slice(0, filevaultLimits.wraps), number, key),
  });
  await giveNewest(caller, container, { newest: number, key, holders: holders.slice(filevaultLimits.wraps) });
  return others;
}

/** Those who have earlier keys and lack the newest one, such as after a client that made it and was stopped. */
export function lackingNewest({ newest, members = [] }: Keyring): Holder[] {
  return members.filter(({ numbers }) => numbers.length > 0 && !numbers.includes(newest));
}

/** Gives many members the newest key. */
export async function giveNewest(
  caller: Caller,
  container: ClientContainer,
  given: { readonly newest: number; readonly key: Uint8Array; readonly holders: readonly Recipient[] },
): Promise<void> {
  const { newest, key, holders } = given;
  for (let from = 0; from < holders.length; from += filevaultLimits.wraps) {
    const wraps = wrapsFor(container, holders.slice(from, from + filevaultLimits.wraps), newest, key);
    await perform(caller, filevault.addKeys, { id: container.id, newest, number: newest, wraps });
  }
}

function wrapsFor(container: ClientContainer, holders: readonly Recipient[], number: number, key: Uint8Array) {
  return holders.map((holder) => wrapFor(container, holder, number, key));
}

/** Gives a member all keys of a container that the giver has and the member doesn't. @returns their numbers */
export async function giveKeys(
  caller: Caller,
  container: ClientContainer,
  { keys, newest }: Keyring,
  member: Holder,
): Promise<number[]> {
  const missing = [...keys].filter(([number]) => !member.numbers.includes(number));
  for (const [number, key] of missing) {
    const wraps = [wrapFor(container, member, number, key)];
    await perform(caller, filevault.addKeys, { id: container.id, newest, number, wraps });
  }
  return missing.map(([number]) => number);
}

/** @throws Problem network CONTAINER_KEY_FOREIGN if the public key is not the member's: an id is a hash of the key */
function wrapFor(
  { id }: ClientContainer,
  { memberId, publicKey }: Recipient,
  number: number,
  key: Uint8Array,
): { memberId: string; wrapped: string } {
  const recipient = fromHex(publicKey);
  if (memberIdOf(recipient) !== memberId)
    throw new Problem(
      'network',
      'CONTAINER_KEY_FOREIGN',
      `The server sent a public key that is not the key of member ${memberId}. Nothing was encrypted to it.`,
    );
  return { memberId, wrapped: toHex(eciesEncrypt(recipient, key, containerKeyContext(id, number))) };
}
