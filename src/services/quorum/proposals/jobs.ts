import { operatorId } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { scheduled } from '../../../service/scheduled.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { QuorumProposalRow } from '../../../platform/store/tables/quorum.ts';
import { currentEpoch, holdEpoch } from '../members/epochs.ts';
import type { Executed } from './action.ts';
import { carryOut, fail, finish, isRefusal, settle, storedAction, wasApproved } from './execute.ts';

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
export async function executionHandler(ctx: Context): Promise<JobHandler> {
  const inside = await carryOutInside(ctx);
  return async (payload, job) => {
    const apart = await dueApart(ctx, payload);
    if (apart !== undefined) await carryOutApart(ctx, apart);
    await inside(payload, job);
  };
}

const carryOutInside = scheduled(async (tx, payload) => {
  const row = await dueProposal(tx, payload);
  if (row === undefined) return;
  if (await wasApproved(tx, row)) await carryOut(tx, row, operatorId);
  else await fail(tx, row, operatorId, notApproved());
});

async function dueProposal(tx: Context, payload: unknown): Promise<QuorumProposalRow | undefined> {
  const row = await proposalOf(tx, payload);
  const isDue = row?.status === 'approved' && row.executes_at !== null && row.executes_at <= tx.clock.now();
  return isDue ? row : undefined;
}

function notApproved(): Problem {
  return new Problem('conflict', 'VALIDATION_ERROR', 'The signatures of its votes do not approve it.');
}

/** The proposal, if it is due and carried out outside of the transaction of the job. */
async function dueApart(ctx: Context, payload: unknown): Promise<QuorumProposalRow | undefined> {
  return await transaction(ctx, async (tx) => {
    const row = await dueProposal(tx, payload);
    if (row === undefined || !isApart(row)) return undefined;
    if (await wasApproved(tx, row)) return row;
    await fail(tx, row, operatorId, notApproved());
    return undefined;
  });
}

function isApart(row: QuorumProposalRow): boolean {
  try {
    return storedAction(row).action.carryOutApart !== undefined;
  } catch (error) {
    // It fails in its transaction, with the reason.
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** The effect and the end of the proposal are one transaction, which the action begins. */
async function carryOutApart(ctx: Context, row: QuorumProposalRow): Promise<void> {
  const { action, payload } = storedAction(row);
  try {
    await action.check(ctx, row, payload);
    await action.carryOutApart?.(ctx, row, payload, async (tx, executed) => await executedApart(tx, row.id, executed));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await transaction(ctx, async (tx) => {
      const now = await dueProposal(tx, { proposalId: row.id });
      if (now !== undefined) await fail(tx, now, operatorId, error);
    });
  }
}

async function executedApart(tx: Context, proposalId: string, executed: Executed): Promise<void> {
  const row = await dueProposal(tx, { proposalId });
  // The whole effect is undone: the proposal was cancelled, or another process was faster.
  if (row === undefined || !(await wasApproved(tx, row))) throw notApproved();
  const change = { status: 'executed', executed_at: tx.clock.now() } as const;
  await finish(tx, row, change, { actorId: operatorId, action: 'PROPOSAL_EXECUTED', ...executed });
}

/** Decides on pending proposals after a change of the membership, which may be all that they waited for. */
export const tallyHandler = scheduled(async (tx, payload) => {
  const { epoch, after } = payload as { readonly epoch: number; readonly after: string };
  await holdEpoch(tx);
  const rows = await tx.db
    .selectFrom('quorum_proposals')
    .selectAll()
    .where('status', '=', 'pending')
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute();
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
