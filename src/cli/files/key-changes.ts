import type { Cipher } from '../../client/filevault/cipher.ts';
import type { Recipient } from '../../client/filevault/fingerprints.ts';
import type { AclEntry } from '../../contract/filevault/acl.ts';
import { Problem } from '../../base/problem.ts';

/** What became of the keys of a client-encrypted container when access to something in it changed. */
export interface KeyChanges {
  /** the member who got the keys */
  readonly recipient?: Recipient;
  /** nothing can be stored until the owner's client has made a new key */
  readonly newKeyNeeded?: true;
}

/** Gives a member the keys. @param entry what the member was granted. @param outdated a member lost access by the same change */
export async function keysGranted(cipher: Cipher, entry: AclEntry | undefined, outdated: boolean): Promise<KeyChanges> {
  const renewed = outdated ? await keysRevoked(async () => cipher) : {};
  if (entry === undefined || entry.flags?.length === 0) return renewed;
  const { recipientOf } = await import('../../client/filevault/fingerprints.ts');
  return { ...renewed, recipient: recipientOf(await cipher.give(entry.principalId)) };
}

/** Makes a new key, so that a member who lost access gets nothing new. */
export async function keysRevoked(cipherOf: () => Promise<Cipher | undefined>): Promise<KeyChanges> {
  try {
    await (await cipherOf())?.beginning(async () => null);
    return {};
  } catch (error) {
    // The key of the owner is not at hand, or an administrator who is not the owner has taken the access away.
    const isLater = error instanceof Problem && ['KEY_OUTDATED', 'INPUT_MISSING'].includes(error.code);
    if (isLater) return { newKeyNeeded: true };
    throw error;
  }
}

export const newKeyNeeded =
  'Nothing can be stored in the container until its owner stores something, because that makes a new key. The former member may still have the one in use.';
