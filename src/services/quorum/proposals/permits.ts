import type { Context } from '../../../service/context.ts';
import type { QuorumProposalRow } from '../../../platform/store/tables/quorum.ts';
import type { ChangedRow } from '../audit/row-digests.ts';

/** What a proposal allows once it is executed. */
export interface Grant {
  /** id of what may be done something to */
  readonly target: string;
  /** the accounts that may use it; empty: the service that asks decides who may */
  readonly holderIds: readonly string[];
}

/** Grants what the proposal allows, in the transaction that carries it out. @returns the rows that changed, for `record` */
export async function grantPermit(
  tx: Context,
  proposal: QuorumProposalRow,
  { target, holderIds }: Grant,
): Promise<ChangedRow[]> {
  const now = tx.clock.now();
  await tx.db
    .insertInto('quorum_permits')
    .values({
      proposal_id: proposal.id,
      action_type: proposal.action_type,
      target,
      holder_ids: JSON.stringify(holderIds.toSorted()),
      created_at: now,
      expires_at: now + tx.config.quorum.permitMs,
      used_at: null,
    })
    .execute();
  return [['quorum_permits', proposal.id]];
}
