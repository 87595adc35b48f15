import type { QuorumMetrics } from '../../contract/quorum/audit.ts';
import type { QuorumEpoch, QuorumStatus } from '../../contract/quorum/epochs.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { quorumMembers, QuorumMember } from '../../contract/quorum/members.ts';
import { counted } from '../kit/counted.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details, type Column } from '../kit/table.ts';
import { listed, type People } from './people.ts';

type RemovedMember = ReplyOf<typeof quorumMembers.removeMember>;

export const memberColumns: readonly Column<QuorumMember>[] = [
  { title: 'MEMBER', whole: true, of: ({ id }) => id },
  { title: 'NAME', main: true, of: ({ metadata }) => metadata.name },
  { title: 'ROLE', spare: true, of: ({ metadata }) => metadata.role ?? '-' },
  { title: 'E-MAIL', spare: true, of: ({ metadata }) => metadata.email ?? '-' },
  {
    title: 'ACCOUNT',
    of: ({ accountId, linkUnverified }) =>
      accountId === undefined ? 'not linked' : linkUnverified === true ? 'linked, unverified' : 'linked',
  },
  { title: 'SINCE', spare: true, of: ({ createdAt }, screen) => moment(screen, createdAt) },
];

export const epochColumns: readonly Column<QuorumEpoch>[] = [
  { title: 'EPOCH', whole: true, of: ({ epochNumber }) => String(epochNumber) },
  { title: 'SINCE', of: ({ createdAt }, screen) => moment(screen, createdAt) },
  { title: 'MEMBERS', of: ({ memberIds }) => String(memberIds.length) },
  { title: 'DECIDE TOGETHER', of: ({ threshold }) => String(threshold) },
  { title: 'MODE', main: true, of: ({ mode }) => mode },
  { title: 'BY', spare: true, of: ({ proposalId }) => proposalId?.slice(0, 12) ?? 'an administrator' },
];

const modes: Readonly<Record<QuorumStatus['mode'], string>> = {
  bootstrap: 'bootstrap: administrators add and remove members',
  transition_in_progress: 'quorum, but documents have holders who are no members any more',
  quorum: 'quorum: members alone decide about members',
};

/** The status, with what members and administrators alone may know. */
export type WholeStatus = QuorumStatus & { readonly pendingProposals?: number; readonly outOfReach?: number };

export function statusText(screen: Screen, status: WholeStatus, people: People): string {
  const { mode, epochNumber, memberCount, threshold, innerQuorumMemberIds: inner, memberId } = status;
  const { holdersChanged = 0, outOfReach = 0, pendingProposals = 0 } = status;
  if (epochNumber === 0)
    return 'The quorum has no members. An administrator adds the first with: conclave quorum members add NAME';
  return details(screen, [
    ['Members', `${memberCount}: ${listed(people.members.map(({ metadata }) => metadata.name))}`],
    ['Decide together', String(threshold)],
    ...(inner.length === 0 ? [] : ([['Inner quorum', listed(inner.map(people.nameOf))]] as const)),
    ['Mode', modes[mode]],
    ['Epoch', String(epochNumber)],
    ['You', memberId === undefined ? 'are no member' : `are ${people.nameOf(memberId)}`],
    ...unverified(status),
    ...toDo('Pending', pendingProposals, 'proposal', 'conclave quorum proposals --status pending'),
    ...toDo('Share anew', holdersChanged, 'document', changedDocuments),
    ...toDo('Out of reach', outOfReach, 'document', 'add a former holder again with the same key'),
  ]);
}

/** Each with what ends the doubt. */
function unverified({ unverifiedLinks = [] }: QuorumStatus): (readonly [string, string])[] {
  return unverifiedLinks.map(
    ({ memberId, name, accountId }) =>
      [
        'Unverified',
        memberId === accountId
          ? `${name}: was added by an e-mail address that nobody verified; an administrator runs: conclave admin members confirm-email ${accountId}`
          : `${name}: the account was linked by an e-mail address that nobody verified; an administrator runs: conclave admin members confirm-email ${accountId}, or ${name} runs: conclave quorum members link`,
      ] as const,
  );
}

const changedDocuments = 'conclave quorum documents --holders-changed true';

function toDo(title: string, count: number, what: string, next: string): (readonly [string, string])[] {
  return count === 0 ? [] : [[title, `${counted(count, what)}: ${next}`]];
}

/** What happens to documents when a member is removed, for who decides on it. */
export const removalWarning = [
  'Shares of a removed member open nothing here. Documents of which the member holds a share should be shared anew.',
  'Documents that too few members are left for are out of reach until the member is added again with the same key.',
].join('\n');

/** What has become of documents. */
export function removedText(name: string, { holdersChanged, outOfReach }: RemovedMember['documents']): string {
  return [
    `Removed ${name}.`,
    ...(holdersChanged === 0
      ? []
      : [`Share anew what the member has shares of (${holdersChanged}): ${changedDocuments}`]),
    ...(outOfReach.length === 0
      ? []
      : [`Out of reach until ${name} is added again with the same key: ${outOfReach.join(', ')}`]),
  ].join('\n');
}

export function metricsText(screen: Screen, metrics: QuorumMetrics): string {
  const { proposals, votes, members, epoch, redistribution, expiration, documents } = metrics;
  return details(screen, [
    ['Members', String(members.active)],
    ['Epoch', String(epoch.current)],
    ['Proposals', `${proposals.total}, ${proposals.pending} of them pending`],
    ['Votes', `${votes.total}, after ${Math.round(votes.latencyMs / 1_000)} seconds on average`],
    ['Documents', String(documents.total)],
    ['Share anew', `${documents.holdersChanged}, and ${documents.outOfReach} of them are out of reach`],
    ['Holders are members', `${Math.floor(redistribution.progress * 100)} % of the documents`],
    ['Re-sharings failed', String(redistribution.failures)],
    [
      'Expired',
      expiration.lastRun === null
        ? 'nothing'
        : `${expiration.expiredTotal}, the last ${moment(screen, expiration.lastRun)}`,
    ],
  ]);
}
