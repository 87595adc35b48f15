import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { quorumProposals } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { peopleOf, type People } from './people.ts';
import type { ShownProposal } from './proposal-views.ts';

/**
 * The id of a proposal, from an id or the first eight or more digits of one.
 * @throws Problem missing PROPOSAL_NOT_FOUND, conflict AMBIGUOUS
 */
export async function proposalIdOf(client: Client, text: string): Promise<string> {
  const message = `There is no proposal ${JSON.stringify(text)}. To list them, run: conclave quorum proposals`;
  return await idFrom(
    text,
    async () => {
      const most = Number.POSITIVE_INFINITY;
      const { items } = await collectPages(client, quorumProposals.listProposals, {}, 'proposals', { most });
      return items.map(({ id, description }) => ({ id, label: description.split('\n')[0] ?? '' }));
    },
    () => new Problem('missing', 'PROPOSAL_NOT_FOUND', message),
  );
}

/** A proposal with its votes, and the names of everybody in it. */
export async function proposalWithPeople(
  client: Client,
  proposalId: string,
): Promise<{ readonly shown: ShownProposal; readonly people: People }> {
  const shown = await perform(client, quorumProposals.showProposal, { proposalId });
  const { proposal, votes, tally } = shown;
  const { memberId } = proposal.actionPayload;
  const others = [proposal.proposerMemberId, ...votes.map(({ voterMemberId }) => voterMemberId), ...tally.electorate];
  return { shown, people: await peopleOf(client, [...others, ...(typeof memberId === 'string' ? [memberId] : [])]) };
}
