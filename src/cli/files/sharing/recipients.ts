import type { Recipient } from '../../../client/filevault/fingerprints.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import { filevault } from '../../../contract/filevault.ts';

const wholeKey = /^(?:[0-9a-f]{66}|[0-9a-f]{130})$/i;

interface Named {
  /** compressed, hex */
  readonly publicKey: string;
  /** undefined for a key that was given as such */
  readonly recipient?: Recipient;
}

/** @param name a member by username, e-mail address or id, or a public key in hex. @throws Problem invalid INPUT_INVALID; missing MEMBER_NOT_FOUND */
export async function recipientNamed(caller: Caller, fileId: string, name: string): Promise<Named> {
  if (!wholeKey.test(name)) return await memberNamed(caller, fileId, name);
  const { pointIn } = await import('../../../client/filevault/share-keys.ts');
  return { publicKey: Buffer.from(pointIn(name)).toString('hex') };
}

/** A member to share a file with. The key is the one of the id, whatever the server says. @throws Problem missing MEMBER_NOT_FOUND */
export async function memberNamed(caller: Caller, fileId: string, name: string): Promise<Required<Named>> {
  const found = await perform(caller, filevault.showRecipient, { fileId, member: name });
  const { keyOfMember } = await import('../../../client/filevault/share-keys.ts');
  keyOfMember(found);
  const { recipientOf } = await import('../../../client/filevault/fingerprints.ts');
  return { publicKey: found.publicKey, recipient: recipientOf({ ...found, numbers: [] }) };
}
