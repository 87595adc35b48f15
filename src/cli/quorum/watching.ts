import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { quorumProposals, type Proposal } from '../../contract/quorum/proposals.ts';
import type { Reshare } from '../../contract/quorum/reshares.ts';
import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { Problem } from '../../problem.ts';
import { escapedJson, escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { peopleOf, type People } from './people.ts';
import { tallyText, type ShownProposal } from './proposal-views.ts';
import { waitingReshares, waitingSessions } from './waiting.ts';

/** Milliseconds between two looks. People decide, so looking more often is of no use. */
const EVERY_MS = 2_000;
/** Of the newest proposals, so many are looked at. */
const NEWEST = 50;

/** Something that changed since the last look, or was there at the first. */
export type Change =
  | { readonly event: 'proposal'; readonly proposal: Proposal; readonly tally?: ShownProposal['tally'] }
  | { readonly event: 'vote'; readonly vote: ShownProposal['votes'][number] }
  | { readonly event: 'share-wanted'; readonly session: UnsealSession }
  | { readonly event: 'confirmation-wanted'; readonly reshare: Reshare };

export interface Watching {
  /** of one proposal alone; it ends when that is decided */
  readonly proposalId?: string | undefined;
  readonly tell: (change: Change, people: People) => void;
  readonly trouble: (problem: Problem) => void;
  /** the watch ends when it returns false */
  readonly pause?: (() => Promise<boolean>) | undefined;
}

/** Tells what happens to proposals, and what waits for the caller. @returns the proposal that was watched, once it is decided */
export async function watchQuorum(
  client: Client,
  { proposalId, tell, trouble, pause = shortly }: Watching,
): Promise<Proposal | undefined> {
  const known = new Map<string, string>();
  let away = false;
  do {
    try {
      const people = await peopleOf(client);
      const proposals = await looked(client, proposalId);
      for (const change of await changes(client, proposals, proposalId === undefined))
        if (isNew(known, change)) tell(change, people);
      away = false;
      const [only] = proposals;
      if (proposalId !== undefined && only !== undefined && isDecided(only)) return only;
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== 'network' && error.kind !== 'unavailable')) throw error;
      if (!away) trouble(error);
      away = true;
    }
  } while (await pause());
  return undefined;
}

async function shortly(): Promise<boolean> {
  await sleep(EVERY_MS);
  return true;
}

function isDecided({ status }: Proposal): boolean {
  return status !== 'pending' && status !== 'approved';
}

/** Oldest first, so that the newest line is the last one. */
async function looked(client: Client, proposalId: string | undefined): Promise<Proposal[]> {
  if (proposalId !== undefined) return [(await perform(client, quorumProposals.showProposal, { proposalId })).proposal];
  return (await perform(client, quorumProposals.listProposals, { limit: NEWEST })).proposals.toReversed();
}

async function changes(client: Client, proposals: readonly Proposal[], all: boolean): Promise<Change[]> {
  const found: Change[] = [];
  for (const proposal of proposals) {
    if (proposal.status !== 'pending') {
      found.push({ event: 'proposal', proposal });
      continue;
    }
    const { votes, tally } = await perform(client, quorumProposals.showProposal, { proposalId: proposal.id });
    found.push({ event: 'proposal', proposal, tally });
    for (const vote of votes) found.push({ event: 'vote', vote });
  }
  if (!all) return found;
  for (const session of await waitingSessions(client)) found.push({ event: 'share-wanted', session });
  for (const reshare of await waitingReshares(client)) found.push({ event: 'confirmation-wanted', reshare });
  return found;
}

function isNew(known: Map<string, string>, change: Change): boolean {
  const [key, state] = keyOf(change);
  const before = known.get(key);
  known.set(key, state);
  return before !== state;
}

function keyOf(change: Change): [key: string, state: string] {
  switch (change.event) {
    case 'proposal':
      return [change.proposal.id, change.proposal.status];
    case 'vote': {
      const { proposalId, voterMemberId, decision, createdAt } = change.vote;
      return [`${proposalId} ${voterMemberId}`, `${decision} ${createdAt}`];
    }
    case 'share-wanted':
      return [change.session.id, ''];
    default:
      return [change.reshare.id, ''];
  }
}

/** One line: text for people, or a JSON object. */
export function changeLine(change: Change, people: People, json: boolean): string {
  if (json) return escapedJson(change).replaceAll(/\n\s*/g, ' ');
  return escapeForTerminal(textOf(change, people));
}

function textOf(change: Change, people: People): string {
  switch (change.event) {
    case 'proposal': {
      const { id, actionType, status, description, reason } = change.proposal;
      const so = change.tally === undefined ? '' : ` (${tallyText(change.tally)})`;
      return `${id.slice(0, 12)}  ${status}${so}  ${actionType}  ${reason ?? description.split('\n')[0] ?? ''}`;
    }
    case 'vote': {
      const { proposalId, voterMemberId, decision } = change.vote;
      return `${proposalId.slice(0, 12)}  ${people.nameOf(voterMemberId)} votes ${decision}`;
    }
    case 'share-wanted': {
      const { id, requesterName, requesterId } = change.session;
      const start = id.slice(0, 12);
      return `${start}  ${requesterName ?? requesterId} asks for your share: conclave quorum contribute ${start}`;
    }
    default: {
      const start = change.reshare.id.slice(0, 12);
      return `${start}  a new share waits for you: conclave quorum confirm ${start}`;
    }
  }
}
