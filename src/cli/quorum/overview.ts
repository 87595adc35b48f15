import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { quorumEpochs } from '../../contract/quorum/epochs.ts';
import { quorumProposals } from '../../contract/quorum/proposals.ts';
import type { Reshare } from '../../contract/quorum/reshares.ts';
import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { Problem } from '../../base/problem.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { Unmeasured } from '../kit/screen.ts';
import { sessionLines } from './document-views.ts';
import { peopleOf, type People } from './people.ts';
import { linesOf, proposalPairs, type ShownProposal } from './proposal-views.ts';
import { reshareLines } from './reshare-views.ts';
import { waitingReshares, waitingSessions } from './waiting.ts';

/** What waits for the caller: votes, shares and confirmations. */
export type Task =
  | { readonly kind: 'vote'; readonly shown: ShownProposal }
  | { readonly kind: 'share'; readonly session: UnsealSession }
  | { readonly kind: 'confirmation'; readonly reshare: Reshare };

export interface Overview {
  readonly tasks: readonly Task[];
  readonly people: People;
}

/** Everything that waits for the caller, what ends first before the rest of its kind. Nothing waits for who is no member. */
export async function overviewOf(client: Client): Promise<Overview> {
  const { status } = await perform(client, quorumEpochs.status, {});
  const { memberId } = status;
  if (memberId === undefined) return { tasks: [], people: await peopleOf(client) };
  const [votes, sessions, reshares] = [
    await wantedVotes(client, memberId),
    await waitingSessions(client),
    await waitingReshares(client),
  ];
  const tasks: Task[] = [
    ...votes.map((shown): Task => ({ kind: 'vote', shown })),
    ...byExpiry(sessions).map((session): Task => ({ kind: 'share', session })),
    ...byExpiry(reshares).map((reshare): Task => ({ kind: 'confirmation', reshare })),
  ];
  const others = votes.flatMap(({ proposal, votes: cast }) =>
    [proposal.proposerMemberId, proposal.actionPayload['memberId']]
      .concat(cast.map(({ voterMemberId }) => voterMemberId))
      .filter((id) => typeof id === 'string'),
  );
  return { tasks, people: await peopleOf(client, others) };
}

/** The pending proposals that the member may vote on, and has not. */
async function wantedVotes(client: Client, memberId: string): Promise<ShownProposal[]> {
  const { items } = await collectPages(client, quorumProposals.listProposals, { status: 'pending' }, 'proposals');
  const wanted: ShownProposal[] = [];
  for (const { id: proposalId } of items) {
    const shown = await shownIfThere(client, proposalId);
    if (shown === undefined || !shown.tally.electorate.includes(memberId)) continue;
    if (!shown.votes.some(({ voterMemberId }) => voterMemberId === memberId)) wanted.push(shown);
  }
  return wanted.toSorted((one, other) => one.proposal.expiresAt.localeCompare(other.proposal.expiresAt));
}

async function shownIfThere(client: Client, proposalId: string): Promise<ShownProposal | undefined> {
  try {
    return await perform(client, quorumProposals.showProposal, { proposalId });
  } catch (error) {
    if (error instanceof Problem && error.code === 'PROPOSAL_NOT_FOUND') return undefined;
    throw error;
  }
}

function byExpiry<T extends { readonly expiresAt: string }>(waiting: readonly T[]): T[] {
  return waiting.toSorted((one, other) => one.expiresAt.localeCompare(other.expiresAt));
}

/** A task in full, before somebody acts on it. */
export function taskLines(screen: Unmeasured, task: Task, people: People): readonly string[] {
  switch (task.kind) {
    case 'vote':
      return linesOf(proposalPairs(screen, task.shown, people));
    case 'share':
      return sessionLines(screen, task.session, people);
    default:
      return reshareLines(screen, task.reshare, people);
  }
}

/** A task in one line, with the command for it. */
export function taskLine(task: Task): string {
  return lineOf(task)
    .map((cell) => escapeForTerminal(cell))
    .join('\t');
}

function lineOf(task: Task): string[] {
  switch (task.kind) {
    case 'vote': {
      const { id, description } = task.shown.proposal;
      return ['vote', id, description.split('\n')[0] ?? '', `conclave quorum vote ${id.slice(0, 12)} approve`];
    }
    case 'share': {
      const { id, reason } = task.session;
      return ['share', id, reason.split('\n')[0] ?? '', `conclave quorum contribute ${id.slice(0, 12)}`];
    }
    default: {
      const { id, documentId } = task.reshare;
      return ['confirmation', id, `document ${documentId}`, `conclave quorum confirm ${id.slice(0, 12)}`];
    }
  }
}

/** A task for programs. */
export function taskData(task: Task): object {
  if (task.kind === 'vote') return { kind: task.kind, proposal: task.shown.proposal, tally: task.shown.tally };
  return task;
}
