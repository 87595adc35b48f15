import type { Context } from '../../../service/context.ts';
import type { QuorumPermitRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import { wasApproved } from './execute.ts';

/**
 * Uses up a permit, and records that, in the transaction of what it allows. A permit whose proposal was not approved by the signatures of
 * its votes, or is about something else, allows nothing: a row of the store is not a decision.
 *
 * @param accountId who acts
 * @returns the id of the proposal; undefined if nothing allows it now
 */
export async function usePermit(
  tx: Context,
  actionType: string,
  target: string,
  accountId: string,
): Promise<string | undefined> {
  const rows = await tx.db
    .selectFrom('quorum_permits')
    .selectAll()
    .where('action_type', '=', actionType)
    .where('target', '=', target)
    .where('used_at', 'is', null)
    .where('expires_at', '>', tx.clock.now())
    .orderBy('expires_at')
    .execute();
  for (const permit of rows) {
    if (!mayUse(permit, accountId) || !(await isDecided(tx, permit))) continue;
    const id = permit.proposal_id;
    await tx.db.updateTable('quorum_permits').set({ used_at: tx.clock.now() }).where('proposal_id', '=', id).execute();
    const event = { action: 'PERMIT_USED', subject: `proposal/${id}`, details: { actionType, target } };
    await record(tx, accountId, event, [['quorum_permits', id]]);
    return id;
  }
  return undefined;
}

function mayUse({ holder_ids: ids }: QuorumPermitRow, accountId: string): boolean {
  const holders = JSON.parse(ids) as string[];
  return holders.length === 0 || holders.includes(accountId);
}

async function isDecided(tx: Context, permit: QuorumPermitRow): Promise<boolean> {
  const proposal = await tx.db
    .selectFrom('quorum_proposals')
    .selectAll()
    .where('id', '=', permit.proposal_id)
    .where('status', '=', 'executed')
    .where('action_type', '=', permit.action_type)
    .executeTakeFirst();
  if (proposal === undefined) return false;
  const fields = Object.values(JSON.parse(proposal.action_payload) as object);
  return fields.includes(permit.target) && (await wasApproved(tx, proposal));
}
