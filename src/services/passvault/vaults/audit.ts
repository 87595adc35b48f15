import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { AuditAction } from '../../../contract/passvault/sharing.ts';
import { appendEntry } from '../../../ledger/append.ts';
import { recordId } from '../../../store/record-id.ts';

/** Ids and counts; nothing of what an entry holds. */
export type AuditMetadata = Readonly<Record<string, string | number | boolean>>;

/**
 * Writes down what was done with a vault, in the transaction that does it. The ledger gets a commitment to the record, and its
 * opening where it can be erased.
 */
export async function record(
  tx: Context,
  actor: Actor,
  vaultId: string,
  action: AuditAction,
  metadata?: AuditMetadata,
): Promise<void> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const { index, leafHash } = await appendEntry(tx, {
    type: 'PASSVAULT_AUDIT',
    tags: { vault: vaultId },
    details: {
      id,
      vaultId,
      memberId: actor.memberId,
      action,
      timestamp: new Date(now).toISOString(),
      ...(metadata !== undefined && { metadata: { ...metadata } }),
    },
  });
  await tx.db
    .insertInto('passvault_audit')
    .values({
      id,
      vault_id: vaultId,
      member_id: actor.memberId,
      action,
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      ledger_index: index,
      ledger_hash: leafHash,
      created_at: now,
    })
    .execute();
}
