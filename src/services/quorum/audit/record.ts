import type { Context } from '../../../service/context.ts';
import { canonicalJson } from '../../../crypto/canonical-json.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import type { JsonObject } from '../../../crypto/formats/ledger/entry.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { auditHash, digestsAt, type ChangedRow } from './row-digests.ts';

/** What happened, for people who read the audit trail. Ids, counts and decisions; never a name, a share or a phrase. */
export interface AuditEvent {
  /** upper-case, such as `VOTE_CAST`; it is never renamed */
  readonly action: string;
  /** kind and id: `proposal/<id>` */
  readonly subject: string;
  readonly details?: JsonObject;
}

/**
 * Records what happened, in the transaction of the change: a row of the audit trail, and an entry of the ledger that commits to it and to
 * the digest of every row that changed. Call it after the last change of these rows; a row that changes without it is found as forged.
 *
 * @param actorId the account that did it, or the operator
 */
export async function record(
  tx: Context,
  actorId: string,
  event: AuditEvent,
  changed: readonly ChangedRow[],
): Promise<void> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const digests = await digestsAt(tx.db, changed);
  const { action, subject, details = {} } = event;
  const row = {
    id,
    action,
    actor_id: actorId,
    subject,
    details: canonicalJson(details),
    changes: canonicalJson(digests),
    created_at: now,
  };
  // The entry commits to a hash, because a change of very many rows does not fit into an entry.
  const ledgerEntry = await appendEntry(tx, { type: 'QUORUM_AUDIT', details: { hash: auditHash(row) } });
  await tx.db
    .insertInto('quorum_audit')
    .values({ ...row, ledger_entry: ledgerEntry })
    .execute();
}
