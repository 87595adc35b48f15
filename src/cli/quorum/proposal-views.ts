import type { Proposal, Tally, Vote } from '../../contract/quorum/proposals.ts';
import { moment, type Screen, type Unmeasured } from '../kit/screen.ts';
import { details, table, type Column } from '../kit/table.ts';
import { formOf } from './action-forms.ts';
import { listed, type People } from './people.ts';

export interface ShownProposal {
  readonly proposal: Proposal;
  readonly votes: readonly Vote[];
  readonly tally: Tally;
}

export const proposalColumns: readonly Column<Proposal>[] = [
  { title: 'PROPOSAL', whole: true, of: ({ id }) => id },
  { title: 'ACTION', whole: true, of: ({ actionType }) => actionType },
  { title: 'STATUS', whole: true, of: ({ status }) => status },
  { title: 'DESCRIPTION', main: true, of: ({ description }) => description.split('\n')[0] ?? '' },
  { title: 'EXPIRES', spare: true, of: ({ expiresAt }, screen) => moment(screen, expiresAt) },
];

/** A proposal with its votes. */
export function proposalText(screen: Screen, shown: ShownProposal, people: People): string {
  const { proposal, votes } = shown;
  const about = details(screen, proposalPairs(screen, shown, people));
  if (votes.length === 0) return about;
  const columns: readonly Column<Vote>[] = [
    { title: 'VOTE', whole: true, of: ({ decision }) => decision },
    { title: 'MEMBER', main: true, of: ({ voterMemberId }) => people.nameOf(voterMemberId) },
    { title: 'WHEN', spare: true, of: ({ createdAt }) => moment(screen, createdAt) },
    { title: 'COMMENT', of: (vote) => (vote.counts ? (vote.comment ?? '') : uncounted(proposal)) },
  ];
  return `${about}\n\n${table(screen, votes, columns)}`;
}

/** Why a vote is not among the approvals. */
function uncounted({ status }: Proposal): string {
  return status === 'pending' ? 'does not count: a wrong signature, or no member of those who decide' : 'did not count';
}

/** The pairs for the terminal's other stream, where questions stand; see `labelled`. */
export function linesOf(pairs: readonly (readonly [string, string])[]): string[] {
  const longest = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(longest)}  ${value}`);
}

/** What is decided on, and how far it is, for people who vote. */
export function proposalPairs(
  screen: Unmeasured,
  { proposal, votes, tally }: ShownProposal,
  people: People,
): (readonly [string, string])[] {
  const { id, actionType, description, proposerMemberId, status, reason } = proposal;
  const voted = new Set(votes.filter(({ counts }) => counts).map(({ voterMemberId }) => voterMemberId));
  const missing = tally.electorate.filter((memberId) => !voted.has(memberId));
  return [
    ['Proposal', id],
    ['Action', `${actionType}: ${formOf(actionType).does}`],
    ...payloadPairs(proposal, people),
    ['Description', description],
    ['Proposed by', people.nameOf(proposerMemberId)],
    ['Status', reason === undefined ? status : `${status}: ${reason}`],
    ...(status === 'approved' ? ([['Carried out', moment(screen, proposal.executesAt)]] as const) : []),
    ['Votes', tallyText(tally)],
    ...(status === 'pending'
      ? ([
          ['Not voted', missing.length === 0 ? 'nobody' : listed(missing.map(people.nameOf))],
          ['Expires', moment(screen, proposal.expiresAt)],
        ] as const)
      : []),
  ];
}

export function tallyText({ approve, reject, abstain, required }: Tally): string {
  const others = [reject > 0 ? `${reject} reject` : '', abstain > 0 ? `${abstain} abstain` : ''].filter(
    (one) => one !== '',
  );
  return [`${approve} of ${required} approve`, ...others].join(', ');
}

/** The fields of the action, with names instead of ids where there are names. */
export function payloadPairs(
  { actionType, actionPayload }: Pick<Proposal, 'actionType' | 'actionPayload'>,
  people: People,
): [string, string][] {
  const words = new Map(formOf(actionType).fields.map(({ name, word }) => [name, word]));
  return Object.entries(actionPayload).map(([name, value]) => {
    const word = words.get(name) ?? name;
    const title = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
    return [title, valueText(name, value, people)];
  });
}

function valueText(name: string, value: unknown, people: People): string {
  if (name === 'memberId' && typeof value === 'string') return named(value, people);
  if (name === 'memberIds' && Array.isArray(value))
    return value.length === 0 ? 'none' : listed(value.map((id) => named(String(id), people)));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function named(memberId: string, people: People): string {
  const name = people.nameOf(memberId);
  return name === memberId ? memberId : `${name} (${memberId})`;
}
