import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import type { HeardEvent } from '../../client/event-socket.ts';
import { perform } from '../../client/perform.ts';
import { topicName } from '../../contract/event.ts';
import { quorumEpochs } from '../../contract/quorum/epochs.ts';
import { quorumMemberTopic, quorumTopic } from '../../contract/quorum/events.ts';
import { quorumProposals, type Proposal } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../base/problem.ts';
import { toldChange, type Change } from './changes.ts';
import { openEar, type Patience } from '../kit/ear.ts';
import { peopleOf, type People } from './people.ts';
import { waitingReshares, waitingSessions } from './waiting.ts';

/** Of the newest proposals, so many are looked at. */
const NEWEST = 50;
/** After so long a server that has had too many requests, and names no time, is asked again. */
const RESPITE_SECONDS = 30;

export interface Watching {
  /** of one proposal alone; it ends when that is decided */
  readonly proposalId?: string | undefined;
  readonly tell: (change: Change, people: People) => void;
  readonly trouble: (problem: Problem) => void;
  /** called after each look; the watch ends when it returns false */
  readonly looked?: (() => Promise<boolean>) | undefined;
  readonly patience?: Patience | undefined;
}

/** What earlier looks have seen. */
interface Known {
  /** the last state that was told, by what it is of */
  readonly told: Map<string, string>;
  /** proposals that were pending at the last look */
  readonly pending: Set<string>;
  /** events since then */
  readonly events: HeardEvent[];
  /** whether these are all */
  heardAll: boolean;
}

/** Tells what happens to proposals, and what waits for the caller. @returns the proposal that was watched, once it is decided */
export async function watchQuorum(
  client: Client,
  { proposalId, tell, trouble, looked, patience }: Watching,
): Promise<Proposal | undefined> {
  using ear = openEar(client, async () => await topicsFor(client), patience);
  const known: Known = { told: new Map(), pending: new Set(), events: [], heardAll: true };
  let away = false;
  for (;;) {
    let reads = 0;
    try {
      await ear.listen();
      known.heardAll = ear.heardAll() && known.heardAll;
      known.events.push(...ear.take());
      const look = await (proposalId === undefined ? lookAtAll(client, known) : lookAtOne(client, known, proposalId));
      ({ reads } = look);
      for (const change of look.changes) if (isNew(known, change)) tell(change, look.people);
      // A look that failed is made again with the same events.
      known.events.length = 0;
      known.heardAll = true;
      away = false;
      if (look.decided !== undefined) return look.decided;
    } catch (error) {
      if (!(error instanceof Problem) || !isPassing(error)) throw error;
      if (!away) trouble(error);
      away = true;
      if (error.kind === 'tooMany') await sleep((error.retryAfterSeconds ?? RESPITE_SECONDS) * 1_000);
    }
    if (looked !== undefined && !(await looked())) return undefined;
    await ear.wait(reads);
  }
}

function isPassing({ kind }: Problem): boolean {
  return kind === 'network' || kind === 'unavailable' || kind === 'tooMany';
}

interface Look {
  readonly changes: readonly Change[];
  readonly people: People;
  /** the proposal that is watched alone, if it is decided */
  readonly decided?: Proposal;
  /** requests that it took */
  readonly reads: number;
}

async function lookAtOne(client: Client, known: Known, proposalId: string): Promise<Look> {
  const people = await peopleOf(client);
  const changes = await changesOf(client, known, proposalId);
  const proposal = changes.find((change) => change.event === 'proposal')?.proposal;
  return { changes, people, reads: 2, ...(proposal !== undefined && isDecided(proposal) && { decided: proposal }) };
}

async function lookAtAll(client: Client, known: Known): Promise<Look> {
  const { events, heardAll, pending, told } = known;
  const touched = new Set(events.map(({ data }) => (data as { readonly proposalId?: unknown } | null)?.proposalId));
  const people = await peopleOf(client);
  const { proposals } = await perform(client, quorumProposals.listProposals, { limit: NEWEST });
  const changes: Change[] = [];
  let reads = 4;
  // Oldest first, so that the newest line is the last one.
  for (const proposal of proposals.toReversed()) {
    const { id, status } = proposal;
    if (heardAll && !touched.has(id) && told.get(id) === status) continue;
    if (status !== 'pending' && !pending.has(id)) {
      changes.push({ event: 'proposal', proposal });
      continue;
    }
    changes.push(...(await changesOf(client, known, id)));
    reads += 1;
  }
  changes.push(...events.map(toldChange).filter((change) => change !== undefined));
  for (const session of await waitingSessions(client)) changes.push({ event: 'share-wanted', session });
  for (const reshare of await waitingReshares(client)) changes.push({ event: 'confirmation-wanted', reshare });
  return { changes, people, reads };
}

/** A proposal and its votes. Those that decided one that was pending until now come before the decision. */
async function changesOf(client: Client, { pending }: Known, proposalId: string): Promise<Change[]> {
  const { proposal, votes, tally } = await perform(client, quorumProposals.showProposal, { proposalId });
  const cast = votes.map((vote) => ({ event: 'vote', vote }) as const);
  const itself = { event: 'proposal', proposal, tally } as const;
  if (proposal.status === 'pending') return [itself, ...cast];
  return pending.has(proposalId) ? [...cast, itself] : [itself];
}

async function topicsFor(client: Client): Promise<(accountId: string) => readonly string[]> {
  const { status } = await perform(client, quorumEpochs.status, {});
  return (accountId) => [topicName(quorumTopic, status.nodeId), topicName(quorumMemberTopic, accountId)];
}

function isDecided({ status }: Proposal): boolean {
  return status !== 'pending' && status !== 'approved';
}

function isNew({ told, pending }: Known, change: Change): boolean {
  if (change.event === 'proposal') {
    if (change.proposal.status === 'pending') pending.add(change.proposal.id);
    else pending.delete(change.proposal.id);
  }
  const [key, state] = keyOf(change);
  const before = told.get(key);
  told.set(key, state);
  return before !== state;
}

/** What a change is of, and its state there. An event that was heard is told as it is. */
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
    case 'confirmation-wanted':
      return [change.reshare.id, ''];
    default:
      return [change.event, JSON.stringify(change)];
  }
}
