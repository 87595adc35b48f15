import type { Context } from '../../service/context.ts';
import { appendEntry } from '../../platform/ledger/append.ts';
import { recordId } from '../../platform/store/record-id.ts';
import { insertRows } from '../../platform/store/written-query.ts';
import { noteAccess } from './proofs/accesses.ts';

/** The actions of the audit log, and the types of their entries in the ledger. */
const types = {
  FILE_CREATED: 'FILE_CREATED',
  VERSION_CREATED: 'FILE_CREATED',
  VERSION_RESTORED: 'FILE_CREATED',
  FILE_DOWNLOADED: 'FILE_ACCESS',
  FILE_PREVIEWED: 'FILE_ACCESS',
  FILE_DAMAGED: 'FILE_AUDIT',
  FILE_SHARED: 'FILE_AUDIT',
  SHARE_REVOKED: 'FILE_AUDIT',
  SHARE_KEYS_READ: 'FILE_AUDIT',
  SHARE_LINK_CREATED: 'FILE_AUDIT',
  SHARE_LINK_REVOKED: 'FILE_AUDIT',
  SHARE_LINK_ACCESSED: 'FILE_ACCESS',
  VERSIONS_DESTROYED: 'FILE_AUDIT',
  TRASH_EMPTIED: 'FILE_AUDIT',
  FILE_QUARANTINED: 'FILE_AUDIT',
  QUARANTINE_RELEASED: 'FILE_AUDIT',
  QUARANTINE_DESTROYED: 'FILE_AUDIT',
  DESTRUCTION_SCHEDULED: 'FILE_AUDIT',
  DESTRUCTION_CANCELLED: 'FILE_AUDIT',
  DESTRUCTION_BEGUN: 'FILE_DESTRUCTION',
  FILE_DESTROYED: 'FILE_DESTROYED',
  CONTAINER_CREATED: 'FILE_AUDIT',
  CONTAINER_CHANGED: 'FILE_AUDIT',
  CONTAINER_LOCKED: 'FILE_AUDIT',
  CONTAINER_UNLOCKED: 'FILE_AUDIT',
  CONTAINER_DESTROYED: 'FILE_AUDIT',
  FOLDER_CREATED: 'FILE_AUDIT',
  FOLDER_RENAMED: 'FILE_AUDIT',
  FOLDER_MOVED: 'FILE_AUDIT',
  FOLDER_TRASHED: 'FILE_AUDIT',
  FOLDER_RESTORED: 'FILE_AUDIT',
  FILE_CHANGED: 'FILE_AUDIT',
  FILE_MOVED: 'FILE_AUDIT',
  FILE_TRASHED: 'FILE_AUDIT',
  FILE_RESTORED: 'FILE_AUDIT',
  UPLOAD_ABORTED: 'FILE_AUDIT',
  ACL_CHANGED: 'FILE_AUDIT',
  PERMISSION_SET_CREATED: 'FILE_AUDIT',
  PERMISSION_SET_REMOVED: 'FILE_AUDIT',
  APPROVAL_REQUESTED: 'FILE_AUDIT',
  APPROVAL_GIVEN: 'FILE_AUDIT',
  APPROVAL_REJECTED: 'FILE_AUDIT',
  APPROVAL_CANCELLED: 'FILE_AUDIT',
  APPROVAL_USED: 'FILE_AUDIT',
  CANARY_CREATED: 'FILE_AUDIT',
  CANARY_CHANGED: 'FILE_AUDIT',
  CANARY_REMOVED: 'FILE_AUDIT',
  CANARY_FIRED: 'FILE_AUDIT',
  KEYS_ADDED: 'FILE_AUDIT',
} as const;

export type AuditAction = keyof typeof types;

interface Done {
  readonly action: AuditAction;
  /** missing for what is in no container, such as a permission set */
  readonly containerId?: string;
  /** missing for what concerns a whole container */
  readonly nodeId?: string;
  /** ids and counts, never content */
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** public and permanent facts for the ledger: hashes and numbers */
  readonly data?: Readonly<Record<string, string | number>>;
}

/**
 * Writes a record to the audit log, in the transaction of the action. The ledger gets a commitment to it, with tags of file and container.
 * Whatever is a FILE_ACCESS there makes the file one that was accessed.
 * @returns the id of the entry in the ledger
 */
export async function record(
  tx: Context,
  actor: { readonly address: string; readonly memberId?: string },
  { action, containerId, nodeId, metadata, data }: Done,
): Promise<string> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const memberId = actor.memberId ?? null;
  const ledger_entry = await appendEntry(tx, {
    type: types[action],
    tags: {
      ...(containerId !== undefined && { container: containerId }),
      ...(nodeId !== undefined && { file: nodeId }),
    },
    ...(data !== undefined && { data: { ...data } }),
    details: {
      id,
      ...(containerId !== undefined && { containerId }),
      ...(nodeId !== undefined && { nodeId }),
      memberId,
      address: actor.address,
      action,
      timestamp: new Date(now).toISOString(),
      ...(metadata !== undefined && { metadata: { ...metadata } }),
    },
  });
  await insertRows(tx.db, 'file_audit', [
    {
      id,
      container_id: containerId ?? '',
      node_id: nodeId ?? null,
      member_id: memberId,
      address: actor.address,
      action,
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      ledger_entry,
      created_at: now,
    },
  ]);
  if (types[action] === 'FILE_ACCESS' && containerId !== undefined && nodeId !== undefined)
    await noteAccess(tx, containerId, nodeId, ledger_entry);
  return ledger_entry;
}
