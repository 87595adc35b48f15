import type { Context } from '../../../context.ts';
import { quorumEvents } from '../../../contract/quorum/events.ts';
import { publish } from '../../../realtime/publish.ts';
import type { QuorumProposalRow, QuorumVoteRow } from '../../../store/tables/quorum.ts';
import { groupTopic } from './topics.ts';

/** Tells the members that a proposal was made or has another status, in the transaction of that. */
export async function tellProposal(tx: Context, row: QuorumProposalRow): Promise<void> {
  await publish(tx, groupTopic(tx), quorumEvents.proposal, {
    proposalId: row.id,
    actionType: row.action_type,
    status: row.status,
    proposerMemberId: row.proposer_id,
    epochNumber: row.epoch,
    requiredThreshold: row.required_threshold,
    expiresAt: new Date(row.expires_at).toISOString(),
    ...(row.executes_at !== null && { executesAt: new Date(row.executes_at).toISOString() }),
  });
}

/** Tells the members of a vote, in its transaction. */
export async function tellVote(
  tx: Context,
  { proposal_id: proposalId, voter_id: voterMemberId, decision }: QuorumVoteRow,
): Promise<void> {
  await publish(tx, groupTopic(tx), quorumEvents.vote, { proposalId, voterMemberId, decision });
}
