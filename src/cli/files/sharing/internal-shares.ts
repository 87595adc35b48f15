import type { Recipient } from '../../../client/filevault/fingerprints.ts';
import { perform, type Caller } from '../../../client/perform.ts';
import { accounts } from '../../../contract/accounts.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import type { PermissionLevel } from '../../../contract/filevault/limits.ts';
import type { SharedRecord } from '../../../contract/filevault/sharing.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import type { Ciphers } from '../ciphers.ts';
import { memberNamed } from './recipients.ts';

type File = Pick<FileItem, 'id' | 'vaultContainerId'>;

export interface NewShare {
  readonly shareId: string;
  readonly recipient: Recipient;
  readonly permissionLevel: PermissionLevel;
  /** the keys of the file were encrypted here */
  readonly clientEncrypted: boolean;
}

/** Shares a file with a member, or changes the level. In a client-encrypted container, the keys of its versions are encrypted here. */
export async function shareFile(
  caller: Caller,
  file: File,
  member: string,
  permissionLevel: PermissionLevel,
  ciphers: Ciphers,
): Promise<NewShare> {
  const { publicKey, recipient } = await memberNamed(caller, file.id, member);
  const { memberId: recipientId } = recipient;
  const input = { fileId: file.id, recipientId, permissionLevel };
  const cipher = await ciphers(file.vaultContainerId);
  const made = { recipient, permissionLevel, clientEncrypted: cipher !== undefined };
  if (cipher === undefined) return { ...(await shared(caller, input)), ...made };
  const { keysForMember, newShareId } = await import('../../../client/filevault/share-keys.ts');
  const { user } = await perform(caller, accounts.verify, {});
  const { shares } = await perform(caller, filevault.listShares, { fileId: file.id });
  const own = shares.find((share) => share.recipientId === recipientId && share.sharedBy === user.id);
  const shareId = own?.shareId ?? newShareId();
  const reply = await perform(caller, filevault.listVersions, { id: file.id });
  const contents = new Map<string, Awaited<ReturnType<typeof cipher.open>>>();
  // A version that was restored has the content of an older one.
  for (const { versionId } of Array.isArray(reply) ? reply : reply.versions) {
    const opened = await cipher.open(file.id, versionId);
    contents.set(opened.named.id, opened);
  }
  const wrappedKeys = keysForMember(shareId, { memberId: recipientId, publicKey }, [...contents.values()]);
  return { ...(await shared(caller, { ...input, shareId, wrappedKeys })), ...made };
}

async function shared(
  caller: Caller,
  input: Parameters<typeof perform<typeof filevault.shareInternally>>[2],
): Promise<{ readonly shareId: string }> {
  const { shareId } = await perform(caller, filevault.shareInternally, input);
  return { shareId };
}

interface Ended {
  readonly ended: SharedRecord[];
  readonly note: string;
}

/** Ends every share of a file with a member. @param member username, e-mail address or id. @throws Problem missing SHARE_NOT_FOUND */
export async function unshareFile(caller: Caller, fileId: string, member: string): Promise<Ended> {
  const { shares } = await perform(caller, filevault.listShares, { fileId });
  // By what the list says, because a member who left or blocked the caller is not found by name.
  const named = member.toLowerCase();
  const isListed = ({ username, recipientId }: SharedRecord): boolean =>
    username?.toLowerCase() === named || recipientId === named;
  const listed = shares.filter(isListed);
  const ended = listed.length > 0 ? listed : await withAddress(caller, fileId, member, shares);
  if (ended.length === 0)
    throw new Problem('missing', 'SHARE_NOT_FOUND', `The file is not shared with ${JSON.stringify(member)}.`);
  let note = '';
  for (const { shareId: id } of ended) ({ note } = await perform(caller, filevault.revokeShare, { id }));
  return { ended, note };
}

async function withAddress(
  caller: Caller,
  fileId: string,
  member: string,
  shares: readonly SharedRecord[],
): Promise<SharedRecord[]> {
  if (!member.includes('@')) return [];
  const { memberId } = await perform(caller, filevault.showRecipient, { fileId, member });
  return shares.filter(({ recipientId }) => recipientId === memberId);
}
