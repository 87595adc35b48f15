import { safeParse, type InferOutput } from 'valibot';
import type { HeardEvent } from '../../client/event-socket.ts';
import { quorumEvents } from '../../contract/quorum/events.ts';
import type { Proposal } from '../../contract/quorum/proposals.ts';
import type { Reshare } from '../../contract/quorum/reshares.ts';
import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { escapedJson, escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { People } from './people.ts';
import { tallyText, type ShownProposal } from './proposal-views.ts';

/** Events that are told as they are heard. What the others tell of is looked up, so that nothing is missed where nothing is heard. */
const toldAsHeard = {
  epoch: quorumEvents.epoch,
  contribution: quorumEvents.contribution,
  'session-ended': quorumEvents.sessionEnded,
  confirmation: quorumEvents.confirmation,
  reshared: quorumEvents.reshared,
  'reshare-ended': quorumEvents.reshareEnded,
} as const;
type ToldAsHeard = typeof toldAsHeard;
type Told = {
  [Name in keyof ToldAsHeard]: { readonly event: Name; readonly data: InferOutput<ToldAsHeard[Name]['data']> };
}[keyof ToldAsHeard];

/** Something that changed since the last look, or was there at the first. */
export type Change =
  | { readonly event: 'proposal'; readonly proposal: Proposal; readonly tally?: ShownProposal['tally'] }
  | { readonly event: 'vote'; readonly vote: ShownProposal['votes'][number] }
  | { readonly event: 'share-wanted'; readonly session: UnsealSession }
  | { readonly event: 'confirmation-wanted'; readonly reshare: Reshare }
  | Told;

/** @returns undefined for an event that is looked up, and for one that this program does not know */
export function toldChange({ type, data }: HeardEvent): Change | undefined {
  for (const [event, declared] of Object.entries(toldAsHeard)) {
    if (declared.name !== type) continue;
    const { success, output } = safeParse(declared.data, data);
    return success ? ({ event, data: output } as Told) : undefined;
  }
  return undefined;
}

/** One line: text for people, or a JSON object. */
export function changeLine(change: Change, people: People, json: boolean): string {
  return json ? escapedJson(change, 0) : escapeForTerminal(textOf(change, people));
}

function short(id: string): string {
  return id.slice(0, 12);
}

function textOf(change: Change, people: People): string {
  switch (change.event) {
    case 'proposal': {
      const { id, actionType, status, description, reason } = change.proposal;
      const so = change.tally === undefined ? '' : ` (${tallyText(change.tally)})`;
      return `${short(id)}  ${status}${so}  ${actionType}  ${reason ?? description.split('\n')[0] ?? ''}`;
    }
    case 'vote': {
      const { proposalId, voterMemberId, decision } = change.vote;
      return `${short(proposalId)}  ${people.nameOf(voterMemberId)} votes ${decision}`;
    }
    case 'share-wanted': {
      const { id, requesterName, requesterId } = change.session;
      return `${short(id)}  ${requesterName ?? requesterId} asks for your share: conclave quorum contribute ${short(id)}`;
    }
    case 'confirmation-wanted': {
      const id = short(change.reshare.id);
      return `${id}  a new share waits for you: conclave quorum confirm ${id}`;
    }
    default:
      return toldText(change, people);
  }
}

function toldText(change: Told, people: People): string {
  switch (change.event) {
    case 'epoch': {
      const { epochNumber, memberCount, threshold } = change.data;
      return `epoch ${epochNumber} begins: ${memberCount} members, ${threshold} decide together`;
    }
    case 'contribution': {
      const { sessionId, memberId, contributed, sharesRequired } = change.data;
      return `${short(sessionId)}  ${people.nameOf(memberId)} has contributed: ${contributed} of ${sharesRequired}`;
    }
    case 'session-ended':
      return `${short(change.data.sessionId)}  the session is ${change.data.status}`;
    case 'confirmation': {
      const { reshareId, memberId, confirmed, sharesRequired } = change.data;
      return `${short(reshareId)}  ${people.nameOf(memberId)} has confirmed: ${confirmed} of ${sharesRequired}`;
    }
    case 'reshared':
      return `${short(change.data.reshareId)}  the document ${change.data.documentId} has new shares`;
    default:
      return `${short(change.data.reshareId)}  the re-sharing is ${change.data.status}, and the old shares stay`;
  }
}
