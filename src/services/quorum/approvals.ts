import type { Context } from '../../context.ts';
import { Problem } from '../../problem.ts';
import { record } from './audit/record.ts';
import { wasApproved } from './proposals/execute.ts';

/** What other services may do only after the quorum has decided on it. */
export type GovernedAction = 'VAULT_FILE_DESTROY' | 'VAULT_CONTAINER_DESTROY';

/**
 * Uses the decision of the quorum that allows an action, in the transaction that carries the action out: each decision allows it once. The
 * service that calls it has checked what its member may do.
 *
 * @param actorId the account that acts
 * @param target id of the file or container
 * @returns the proposal that allowed it
 * @throws Problem forbidden QUORUM_APPROVAL_REQUIRED
 */
export async function useApproval(
  tx: Context,
  actorId: string,
  action: GovernedAction,
  target: string,
): Promise<{ readonly proposalId: string }> {
  const rows = await tx.db
    .selectFrom('quorum_permits as permit')
    .innerJoin('quorum_proposals as p', 'p.id', 'permit.proposal_id')
    .selectAll('p')
    .where('permit.action_type', '=', action)
    .where('permit.target', '=', target)
    .where('permit.used_at', 'is', null)
    .where('permit.expires_at', '>', tx.clock.now())
    .where('p.status', '=', 'executed')
    .orderBy('permit.expires_at')
    .execute();
  for (const proposal of rows) {
    // A permit that somebody wrote into the database has no votes behind it.
    if (proposal.action_type !== action || !isAbout(proposal.action_payload, target)) continue;
    if (!(await wasApproved(tx, proposal))) continue;
    const { numUpdatedRows } = await tx.db
      .updateTable('quorum_permits')
      .set({ used_at: tx.clock.now() })
      .where('proposal_id', '=', proposal.id)
      .where('used_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) continue;
    const event = { action: 'APPROVAL_USED', subject: `proposal/${proposal.id}`, details: { target } };
    await record(tx, actorId, event, [['quorum_permits', proposal.id]]);
    return { proposalId: proposal.id };
  }
  throw new Problem(
    'forbidden',
    'QUORUM_APPROVAL_REQUIRED',
    `The quorum decides on this. Make a proposal ${action} with the target ${target}.`,
    { fields: [{ path: 'actionType', message: action }] },
  );
}

function isAbout(payload: string, target: string): boolean {
  return (JSON.parse(payload) as { readonly targetId?: unknown }).targetId === target;
}
