import type { QuorumProposalRow, QuorumVoteRow } from '../../../platform/store/tables/quorum.ts';
import type { Epoch } from '../members/epochs.ts';

/** Who decides on a proposal, and how many approvals it takes. */
export interface Electorate {
  readonly voterIds: ReadonlySet<string>;
  readonly required: number;
}

/**
 * The members of the proposal's epoch who are still members; where that epoch has an inner quorum, its members alone decide on what is
 * routine. A threshold that was raised since counts, a lowered one doesn't.
 *
 * @param epoch of the proposal
 */
export function electorateOf(
  { required_threshold: atFirst }: Pick<QuorumProposalRow, 'required_threshold'>,
  routine: boolean,
  epoch: Epoch,
  current: Epoch,
): Electorate {
  const ids = routine && epoch.innerIds.length > 0 ? epoch.innerIds : epoch.memberIds;
  const active = new Set(current.memberIds);
  return { voterIds: new Set(ids.filter((id) => active.has(id))), required: Math.max(atFirst, current.threshold) };
}

export type Count = Record<QuorumVoteRow['decision'], number>;

/** The votes of the electorate; those of others don't count. */
export function countOf(
  votes: readonly Pick<QuorumVoteRow, 'voter_id' | 'decision'>[],
  { voterIds }: Pick<Electorate, 'voterIds'>,
): Count {
  const count = { approve: 0, reject: 0, abstain: 0 };
  for (const vote of votes) if (voterIds.has(vote.voter_id)) count[vote.decision] += 1;
  return count;
}

/**
 * What the votes decide; undefined while they decide nothing. It can't pass any more once those who have not rejected it are too few. Whoever
 * abstains may still approve.
 */
export function outcomeOf(
  { approve, reject }: Count,
  { voterIds, required }: Electorate,
): 'approved' | 'rejected' | undefined {
  if (approve >= required) return 'approved';
  return voterIds.size - reject < required ? 'rejected' : undefined;
}
