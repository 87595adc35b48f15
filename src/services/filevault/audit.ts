import type { Caller } from '../../actor.ts';
import type { Context } from '../../context.ts';
import { appendEntry } from '../../ledger/append.ts';
import { recordId } from '../../store/record-id.ts';

/** The actions of the audit log, and the types of their entries in the ledger. */
const types = {
  FILE_CREATED: 'FILE_CREATED',
  VERSION_CREATED: 'FILE_CREATED',
  VERSION_RESTORED: 'FILE_CREATED',
  FILE_DOWNLOADED: 'FILE_ACCESS',
  FILE_PREVIEWED: 'FILE_ACCESS',
  FILE_DAMAGED: 'FILE_AUDIT',
  VERSIONS_DESTROYED: 'FILE_AUDIT',
  TRASH_EMPTIED: 'FILE_AUDIT',
  FILE_QUARANTINED: 'FILE_AUDIT',
  QUARANTINE_RELEASED: 'FILE_AUDIT',
  QUARANTINE_DESTROYED: 'FILE_AUDIT',
  DESTRUCTION_SCHEDULED: 'FILE_AUDIT',
  DESTRUCTION_CANCELLED: 'FILE_AUDIT',
  DESTRUCTION_BEGUN: 'FILE_DESTRUCTION',
  FILE_DESTROYED: 'FILE_DESTROYED',
} as const;

export type AuditAction = keyof typeof types;

interface Done {
  readonly action: AuditAction;
  readonly containerId: string;
  readonly nodeId: string;
  /** ids and counts, never content */
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** public and permanent facts for the ledger: hashes and numbers */
  readonly data?: Readonly<Record<string, string | number>>;
}

/**
 * Writes a record to the audit log, in the transaction of the action. The ledger gets a commitment to it, with tags of file and container.
 * @returns the id of the entry in the ledger
 */
export async function record(
  tx: Context,
  actor: Caller & { readonly memberId?: string },
  { action, containerId, nodeId, metadata, data }: Done,
): Promise<string> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const memberId = actor.memberId ?? null;
  const ledger_entry = await appendEntry(tx, {
    type: types[action],
    tags: { container: containerId, file: nodeId },
    ...(data !== undefined && { data: { ...data } }),
    details: {
      id,
      containerId,
      nodeId,
      memberId,
      address: actor.address,
      action,
      timestamp: new Date(now).toISOString(),
      ...(metadata !== undefined && { metadata: { ...metadata } }),
    },
  });
  await tx.db
    .insertInto('file_audit')
    .values({
      id,
      container_id: containerId,
      node_id: nodeId,
      member_id: memberId,
      address: actor.address,
      action,
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      ledger_entry,
      created_at: now,
    })
    .execute();
  return ledger_entry;
}
