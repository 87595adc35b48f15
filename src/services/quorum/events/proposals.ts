import type { Context } from '../../../service/context.ts';
import { quorumEvents } from '../../../contract/quorum/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { QuorumProposalRow, QuorumVoteRow } from '../../../platform/store/tables/quorum.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { noticeDone, noticeTo, quoted } from './notices.ts';
import { accountsOf } from '../members/accounts.ts';
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
  await noticeDone(tx, 'quorum_vote_wanted', proposalId, voterMemberId);
  await publish(tx, groupTopic(tx), quorumEvents.vote, { proposalId, voterMemberId, decision });
}

/** Asks those who decide on a new proposal for their votes. @param voterIds of members of the quorum */
export async function askForVotes(
  tx: Context,
  row: QuorumProposalRow,
  actorId: string,
  voterIds: ReadonlySet<string>,
): Promise<void> {
  await noticeTo(tx, await accountsOf(tx, [...voterIds]), {
    type: 'quorum_vote_wanted',
    actorId,
    targetId: row.id,
    content: `Your vote is wanted on a proposal ${row.action_type}: ${quoted(row.description)}`,
  });
}

/** Notifies the proposer, and those who decide, that no votes are wanted any more. @param voterIds of members of the quorum */
export async function noticeDecision(
  tx: Context,
  row: QuorumProposalRow,
  actorId: string,
  voterIds: ReadonlySet<string>,
): Promise<void> {
  await withdraw(tx, { targetId: row.id, type: 'quorum_vote_wanted' });
  await noticeTo(tx, await accountsOf(tx, [...new Set([...voterIds, row.proposer_id])]), {
    type: 'quorum_decision',
    actorId,
    targetId: row.id,
    content: `The proposal ${row.action_type} ${ended(row)}: ${quoted(row.description)}`,
  });
}

function ended({ status, executes_at: at }: QuorumProposalRow): string {
  switch (status) {
    case 'approved':
      return at === null ? 'was approved' : `was approved, to be carried out at ${new Date(at).toISOString()}`;
    case 'executed':
      return 'was approved and carried out';
    case 'failed':
      return 'was approved and could not be carried out';
    case 'expired':
      return 'found no decision in its time';
    default:
      return `was ${status}`;
  }
}
