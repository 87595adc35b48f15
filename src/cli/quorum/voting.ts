import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { quorumEpochs } from '../../contract/quorum/epochs.ts';
import { quorumProposals, type Proposal, type Vote } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../base/problem.ts';
import type { Terminal } from '../kit/terminal.ts';
import { ownKeys } from './phrase.ts';

export const decisions = ['approve', 'reject', 'abstain'] as const;
export type Decision = (typeof decisions)[number];

export interface Ballot {
  readonly decision: Decision;
  readonly comment?: string | undefined;
}

/**
 * Casts a vote. The key of the sign-in signs it; a sign-in that has no key, or a file with a phrase, makes the key of the member sign on
 * this machine.
 *
 * @param file with the recovery phrase of the member
 */
export async function vote(
  client: Client,
  terminal: Terminal,
  proposal: Proposal,
  ballot: Ballot,
  file: string | undefined,
): Promise<{ readonly proposal: Proposal; readonly vote: Vote }> {
  const { assertShown, signedVote } = await import('../../client/quorum/vote.ts');
  assertShown(proposal);
  const cast = async (signature?: string) =>
    await perform(client, quorumProposals.castVote, {
      proposalId: proposal.id,
      decision: ballot.decision,
      ...(ballot.comment !== undefined && { comment: ballot.comment }),
      ...(signature !== undefined && { signature }),
    });
  if (file === undefined) {
    try {
      return await cast();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'KEY_LOCKED') throw error;
    }
  }
  const { status } = await perform(client, quorumEpochs.status, {});
  return await cast(signedVote(status.nodeId, proposal, ballot, await ownKeys(terminal, file)));
}

/** What became of the proposal with this vote. */
export function outcomeText({ status, reason }: Proposal): string {
  switch (status) {
    case 'executed':
      return 'It decided: the action was carried out.';
    case 'failed':
      return `It decided, but the action could not be carried out: ${reason ?? 'no reason was recorded'}`;
    case 'rejected':
      return 'It decided: the proposal is rejected.';
    case 'approved':
      return 'It decided: the action is carried out after the waiting time.';
    case 'expired':
      return 'The proposal has expired.';
    case 'cancelled':
      return 'The proposal is cancelled.';
    default:
      return 'The proposal is pending.';
  }
}
