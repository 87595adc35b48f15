import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { quorumProposals, type Proposal } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../problem.ts';
import { ambiguous } from '../kit/pick.ts';
import { peopleOf, type People } from './people.ts';
import type { ShownProposal } from './proposal-views.ts';

const whole = /^[0-9a-f]{32}$/i;
const part = /^[0-9a-f]{8,31}$/i;

/**
 * The id of a proposal, from an id or the first eight or more digits of one.
 * @throws Problem missing PROPOSAL_NOT_FOUND, conflict AMBIGUOUS
 */
export async function proposalIdOf(client: Client, text: string): Promise<string> {
  if (whole.test(text)) return text.toLowerCase();
  const found = part.test(text)
    ? (await allProposals(client)).filter(({ id }) => id.startsWith(text.toLowerCase()))
    : [];
  const [one] = found;
  if (one === undefined)
    throw new Problem(
      'missing',
      'PROPOSAL_NOT_FOUND',
      `There is no proposal ${JSON.stringify(text)}. To list them, run: conclave quorum proposals`,
    );
  if (found.length > 1)
    throw ambiguous(
      text,
      found.map(({ id, description }) => ({ id, label: description.split('\n')[0] ?? '' })),
    );
  return one.id;
}

async function allProposals(client: Client): Promise<Proposal[]> {
  const most = Number.POSITIVE_INFINITY;
  return (await collectPages(client, quorumProposals.listProposals, {}, 'proposals', { most })).items;
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
