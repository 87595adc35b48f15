import { operatorId } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { scheduled } from '../../../scheduled.ts';
import { planJob } from '../../../store/jobs/plans.ts';
import type { QuorumProposalRow } from '../../../store/tables/quorum.ts';
import { currentEpoch, holdEpoch } from '../members/epochs.ts';
import { carryOut, finish, settle, wasApproved } from './execute.ts';

/** Proposals that one run decides on. */
const BATCH = 10;

async function proposalOf(tx: Context, payload: unknown): Promise<QuorumProposalRow | undefined> {
  const { proposalId } = payload as { readonly proposalId: string };
  await holdEpoch(tx);
  return await tx.db.selectFrom('quorum_proposals').selectAll().where('id', '=', proposalId).executeTakeFirst();
}

/** Ends a proposal whose time is over. */
export const expiryHandler = scheduled(async (tx, payload) => {
  const row = await proposalOf(tx, payload);
  if (row?.status !== 'pending' || row.expires_at > tx.clock.now()) return;
  const ending = { actorId: operatorId, action: 'PROPOSAL_EXPIRED' };
  await finish(tx, row, { status: 'expired' }, ending);
});

/** Carries out an approved proposal whose time has come. */
export const executionHandler = scheduled(async (tx, payload) => {
  const row = await proposalOf(tx, payload);
  if (row?.status !== 'approved' || row.executes_at === null || row.executes_at > tx.clock.now()) return;
  if (await wasApproved(tx, row)) {
    await carryOut(tx, row, operatorId);
    return;
  }
  const reason = 'The signatures of its votes do not approve it.';
  const ending = { actorId: operatorId, action: 'PROPOSAL_FAILED' };
  await finish(tx, row, { status: 'failed', reason }, ending);
});

/** Decides on pending proposals after a change of the membership, which may be all that they waited for. */
export const tallyHandler = scheduled(async (tx, payload) => {
  const { epoch, after } = payload as { readonly epoch: number; readonly after: string };
  const rows = await tx.db
    .selectFrom('quorum_proposals')
    .selectAll()
    .where('status', '=', 'pending')
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute();
  await holdEpoch(tx);
  for (const row of rows) {
    const current = await currentEpoch(tx);
    // The epoch that began since has a job of its own.
    if (current.number !== epoch) return;
    if (row.expires_at > tx.clock.now()) await settle(tx, current, row, operatorId, new Map());
  }
  const last = rows.at(-1);
  if (rows.length < BATCH || last === undefined) return;
  const now = tx.clock.now();
  const next = { id: `quorum-tally/${epoch}/${last.id}`, kind: 'quorum-tally', payload: { epoch, after: last.id } };
  await planJob(tx.db, { ...next, runAt: now, now });
});
