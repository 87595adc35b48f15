import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { usePermit } from './proposals/permit-use.ts';

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
  const proposalId = await usePermit(tx, action, target, actorId);
  if (proposalId !== undefined) return { proposalId };
  throw new Problem(
    'forbidden',
    'QUORUM_APPROVAL_REQUIRED',
    `The quorum decides on this. Make a proposal ${action} with the target ${target}.`,
    { fields: [{ path: 'actionType', message: action }] },
  );
}
