import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { Proposal, quorumProposals, Tally, Vote } from '../../../contract/quorum/proposals.ts';
import { Problem } from '../../../base/problem.ts';
import { desc, readPage, type Next } from '../../../platform/store/page.ts';
import type { QuorumMemberRow, QuorumProposalRow, QuorumVoteRow } from '../../../platform/store/tables/quorum.ts';
import { isInsider, memberOf, requireInsider } from '../access.ts';
import { currentEpoch, holdEpoch } from '../members/epochs.ts';
import { proposalDecided, proposalNotFound } from '../problems.ts';
import { ballotsOf, isSigned, verifyAhead } from './ballots.ts';
import { electorateNow, finish } from './execute.ts';
import { countOf } from './tally.ts';

/**
 * The proposal and the member of the quorum that the actor is, who may be an administrator only.
 * @throws Problem missing PROPOSAL_NOT_FOUND, also for those who may not know of it
 */
export async function visibleProposal(
  ctx: Context,
  actor: Actor,
  proposalId: string,
): Promise<{ readonly row: QuorumProposalRow; readonly own: QuorumMemberRow | undefined }> {
  const own = await memberOf(ctx, actor);
  const row = await ctx.db.selectFrom('quorum_proposals').selectAll().where('id', '=', proposalId).executeTakeFirst();
  if (row === undefined || !isInsider(actor, own)) throw proposalNotFound();
  return { row, own };
}

export async function listProposals(
  ctx: Context,
  actor: Actor,
  { status, ...page }: InputOf<typeof quorumProposals.listProposals>,
): Promise<{ proposals: Proposal[] } & Next> {
  await requireInsider(ctx, actor);
  const all = ctx.db.selectFrom('quorum_proposals').selectAll();
  const { rows, next } = await readPage(
    ctx,
    status === undefined ? all : all.where('status', '=', status),
    {
      list: 'quorum.list-proposals',
      memberId: actor.memberId,
      filter: { status },
      by: [desc('id', (row) => row.id)],
    },
    page,
  );
  return { proposals: rows.map((row) => shown(row)), ...next };
}

function isOpen({ status }: QuorumProposalRow): boolean {
  return status === 'pending' || status === 'approved';
}

export async function showProposal(
  ctx: Context,
  actor: Actor,
  { proposalId }: { proposalId: string },
): Promise<{ proposal: Proposal; votes: Vote[]; tally: Tally }> {
  const { row } = await visibleProposal(ctx, actor, proposalId);
  const ballots = await ballotsOf(ctx, row.id);
  const electorate = await electorateNow(ctx, row, await currentEpoch(ctx));
  const verified = await verifyAhead(ctx, row, ballots);
  const signed = ballots.filter((ballot) => isSigned(ctx, row, ballot, verified));
  return {
    proposal: shown(row),
    votes: ballots.map((vote) => shownVote(vote, signed.includes(vote) && electorate.voterIds.has(vote.voter_id))),
    tally: {
      ...countOf(signed, electorate),
      // A threshold that was raised since does not change what is decided.
      required: isOpen(row) ? electorate.required : row.required_threshold,
      electorate: [...electorate.voterIds],
    },
  };
}

export async function cancelProposal(
  ctx: Context,
  actor: Actor,
  { proposalId }: { proposalId: string },
): Promise<{ proposal: Proposal }> {
  return await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const { row, own } = await visibleProposal(tx, actor, proposalId);
    if (own?.id !== row.proposer_id)
      throw new Problem('forbidden', 'FORBIDDEN', 'Only the proposer can cancel a proposal.');
    if (row.status !== 'approved') assertPending(tx, row);
    const ending = { actorId: actor.memberId, action: 'PROPOSAL_CANCELLED' };
    return { proposal: shown(await finish(tx, row, { status: 'cancelled', executes_at: null }, ending)) };
  });
}

/** @throws Problem conflict PROPOSAL_DECIDED, also when the time is over and nothing has noticed so far */
export function assertPending({ clock }: Context, { status, expires_at: ends }: QuorumProposalRow): void {
  if (status !== 'pending') throw proposalDecided(status);
  if (ends <= clock.now()) throw proposalDecided('expired');
}

const time = (at: number): string => new Date(at).toISOString();

export function shown(row: QuorumProposalRow): Proposal {
  return {
    id: row.id,
    description: row.description,
    actionType: row.action_type,
    actionPayload: JSON.parse(row.action_payload) as Record<string, unknown>,
    actionHash: row.action_hash,
    proposerMemberId: row.proposer_id,
    status: row.status,
    ...(row.reason !== null && { reason: row.reason }),
    requiredThreshold: row.required_threshold,
    epochNumber: row.epoch,
    ...(row.attachment_cbl_id !== null && { attachmentCblId: row.attachment_cbl_id }),
    createdAt: time(row.created_at),
    expiresAt: time(row.expires_at),
    ...(row.decided_at !== null && { decidedAt: time(row.decided_at) }),
    ...(row.executes_at !== null && { executesAt: time(row.executes_at) }),
    ...(row.executed_at !== null && { executedAt: time(row.executed_at) }),
  };
}

export function shownVote(row: QuorumVoteRow, counts: boolean): Vote {
  return {
    proposalId: row.proposal_id,
    voterMemberId: row.voter_id,
    decision: row.decision,
    comment: row.comment,
    signature: row.signature,
    signedBy: row.signed_by,
    counts,
    createdAt: time(row.created_at),
  };
}
