import type { Context } from '../../../service/context.ts';
import { Problem, type ProblemKind } from '../../../base/problem.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';
import type { QuorumProposalRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import { noticeDecision, tellProposal } from '../events/proposals.ts';
import { currentEpoch, epochNumbered, type Epoch } from '../members/epochs.ts';
import { finishTransition } from '../members/transition.ts';
import type { Action, Executed, Payload } from './action.ts';
import { actionOf } from './actions.ts';
import { ballotsOf, hashOf, isSigned, type Verified } from './ballots.ts';
import { checkPayload, knownType } from './payloads.ts';
import { countOf, electorateOf, outcomeOf, type Electorate } from './tally.ts';

export const expiryJob = (id: string): string => `quorum-expiry/${id}`;
const executionJob = (id: string): string => `quorum-execution/${id}`;

const refusals: ReadonlySet<ProblemKind> = new Set(['invalid', 'forbidden', 'missing', 'conflict', 'gone', 'tooLarge']);

/** Who decides on a proposal now. */
export async function electorateNow(ctx: Context, row: QuorumProposalRow, current: Epoch): Promise<Electorate> {
  const epoch = row.epoch === current.number ? current : await epochNumbered(ctx, row.epoch);
  return electorateOf(row, actionFor(row)?.routine === true, epoch ?? { ...current, memberIds: [] }, current);
}

function actionFor(row: QuorumProposalRow): Action<Payload> | undefined {
  const type = knownType(row.action_type);
  return type && actionOf(type);
}

/**
 * Decides on a pending proposal if its votes do, and carries it out. It runs in the transaction of what may have decided, under `holdEpoch`.
 *
 * @param actorId the account that made the deciding change, or the operator
 * @returns the proposal as it is then
 */
export async function settle(
  tx: Context,
  current: Epoch,
  row: QuorumProposalRow,
  actorId: string,
  verified: Verified,
): Promise<QuorumProposalRow> {
  const electorate = await electorateNow(tx, row, current);
  const ballots = await ballotsOf(tx, row.id);
  // Most votes decide nothing even if all signatures are right, so they aren't verified then.
  if (outcomeOf(countOf(ballots, electorate), electorate) === undefined) return row;
  const signed = ballots.filter((ballot) => isSigned(tx, row, ballot, verified));
  const count = countOf(signed, electorate);
  const outcome = outcomeOf(count, electorate);
  if (outcome === undefined) return row;
  if (outcome === 'approved') return await approve(tx, row, actorId);
  const reason = `It needs ${electorate.required} approvals, and at most ${electorate.voterIds.size - count.reject} are possible.`;
  return await finish(tx, row, { status: 'rejected', reason }, { actorId, action: 'PROPOSAL_REJECTED' });
}

async function approve(tx: Context, row: QuorumProposalRow, actorId: string): Promise<QuorumProposalRow> {
  const action = actionFor(row);
  const waits = action?.destructive === true ? tx.config.quorum.timelockMs : 0;
  if (waits === 0 && action?.carryOutApart === undefined) return await carryOut(tx, row, actorId);
  const now = tx.clock.now();
  const runAt = now + waits;
  await planJob(tx.db, {
    id: executionJob(row.id),
    kind: 'quorum-execution',
    payload: { proposalId: row.id },
    runAt,
    now,
  });
  const change = { status: 'approved', executes_at: runAt } as const;
  return await finish(tx, row, change, { actorId, action: 'PROPOSAL_APPROVED' });
}

/** Carries out an approved proposal, under `holdEpoch`: it is `executed` then, or `failed` with the reason. */
export async function carryOut(tx: Context, row: QuorumProposalRow, actorId: string): Promise<QuorumProposalRow> {
  const announcements: (() => void | Promise<void>)[] = [];
  let done: Executed;
  try {
    const part = { ...tx, afterCommit: (action: () => void | Promise<void>) => void announcements.push(action) };
    done = await savepoint(tx.db, async () => await perform(part, row, actorId));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return await fail(tx, row, actorId, error);
  }
  for (const announce of announcements) tx.afterCommit(announce);
  const executed = { status: 'executed', executed_at: tx.clock.now() } as const;
  const finished = await finish(tx, row, executed, { actorId, action: 'PROPOSAL_EXECUTED', ...done });
  await finishTransition(tx, actorId);
  return finished;
}

/** Whether it can't be done, ever; any other error says that the node could not do it now. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && refusals.has(error.kind);
}

export async function fail(
  tx: Context,
  row: QuorumProposalRow,
  actorId: string,
  { message: reason, code }: Problem,
): Promise<QuorumProposalRow> {
  return await finish(tx, row, { status: 'failed', reason }, { actorId, action: 'PROPOSAL_FAILED', details: { code } });
}

async function perform(tx: Context, row: QuorumProposalRow, actorId: string): Promise<Executed> {
  const { action, payload } = storedAction(row);
  await action.check(tx, row, payload);
  return await action.execute(tx, row, payload, actorId);
}

/** The action of a proposal, if it is still the one that was voted on. @throws Problem conflict VALIDATION_ERROR */
export function storedAction(row: QuorumProposalRow): { readonly action: Action<Payload>; readonly payload: Payload } {
  const type = knownType(row.action_type);
  if (type === undefined)
    throw new Problem('conflict', 'VALIDATION_ERROR', `This version of the node has no action ${row.action_type}.`);
  if (hashOf(row) !== row.action_hash)
    throw new Problem('conflict', 'VALIDATION_ERROR', 'The stored action is not the one that was proposed.');
  const payload = checkPayload(type, JSON.parse(row.action_payload));
  return { action: actionOf(type), payload };
}

interface Ending extends Partial<Executed> {
  readonly actorId: string;
  /** of the audit trail */
  readonly action: string;
}

/** Ends a state of a proposal and records it. */
export async function finish(
  tx: Context,
  row: QuorumProposalRow,
  change: Partial<QuorumProposalRow> & Pick<QuorumProposalRow, 'status'>,
  { actorId, action, changed = [], details = {} }: Ending,
): Promise<QuorumProposalRow> {
  const changes = { decided_at: row.decided_at ?? tx.clock.now(), ...change };
  await tx.db.updateTable('quorum_proposals').set(changes).where('id', '=', row.id).execute();
  await cancelJob(tx.db, expiryJob(row.id));
  if (change.status !== 'approved') await cancelJob(tx.db, executionJob(row.id));
  const event = { action, subject: `proposal/${row.id}`, details: { actionType: row.action_type, ...details } };
  await record(tx, actorId, event, [...changed, ['quorum_proposals', row.id]]);
  const ended = { ...row, ...changes };
  await tellProposal(tx, ended);
  const { voterIds } = await electorateNow(tx, ended, await currentEpoch(tx));
  await noticeDecision(tx, ended, actorId, voterIds);
  return ended;
}

/**
 * Whether the members did approve a proposal that waited, by their signatures: a row that says so is not enough. Members who were removed
 * since had their vote.
 */
export async function wasApproved(tx: Context, row: QuorumProposalRow): Promise<boolean> {
  const epoch = await epochNumbered(tx, row.epoch);
  if (epoch === undefined) return false;
  const electorate = electorateOf(row, actionFor(row)?.routine === true, epoch, epoch);
  const signed = (await ballotsOf(tx, row.id)).filter((ballot) => isSigned(tx, row, ballot, new Map()));
  return countOf(signed, electorate).approve >= electorate.required;
}
