import type { Context } from '../../../service/context.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { QuorumDocumentRow, QuorumSessionRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import { tellUnsealRequest } from '../events/sessions.ts';
import type { Right } from './rights.ts';

interface NewSession {
  readonly document: QuorumDocumentRow;
  readonly purpose: QuorumSessionRow['purpose'];
  readonly requesterId: string;
  /** compressed, hex */
  readonly ephemeralPublicKey: string;
  readonly reason: string;
  readonly right: Right;
  readonly expiresAt: number;
}

/** Opens a session and records it, in the transaction of the caller, who has checked the right and plans the end. */
export async function insertSession(tx: Context, given: NewSession): Promise<QuorumSessionRow> {
  const { document, purpose, requesterId, ephemeralPublicKey, reason, right, expiresAt } = given;
  const now = tx.clock.now();
  const row: QuorumSessionRow = {
    id: recordId(now, tx.random),
    document_id: document.id,
    generation: document.generation,
    purpose,
    requester_id: requesterId,
    ephemeral_public_key: ephemeralPublicKey,
    reason,
    proposal_id: right.proposalId,
    status: 'open',
    created_at: now,
    expires_at: expiresAt,
    ended_at: null,
  };
  await tx.db.insertInto('quorum_sessions').values(row).execute();
  const details = { documentId: document.id, purpose, proposalId: right.proposalId, ephemeralPublicKey };
  const event = { action: 'UNSEAL_REQUESTED', subject: `session/${row.id}`, details };
  await record(tx, requesterId, event, [['quorum_sessions', row.id]]);
  await tellUnsealRequest(tx, row);
  return row;
}
