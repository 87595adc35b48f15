import type { QuorumMetrics } from '../../contract/quorum/audit.ts';
import type { QuorumEpoch, QuorumStatus } from '../../contract/quorum/epochs.ts';
import type { QuorumMember } from '../../contract/quorum/members.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details, type Column } from '../kit/table.ts';
import { listed, type People } from './people.ts';

export const memberColumns: readonly Column<QuorumMember>[] = [
  { title: 'MEMBER', whole: true, of: ({ id }) => id },
  { title: 'NAME', main: true, of: ({ metadata }) => metadata.name },
  { title: 'ROLE', spare: true, of: ({ metadata }) => metadata.role ?? '-' },
  { title: 'E-MAIL', spare: true, of: ({ metadata }) => metadata.email ?? '-' },
  { title: 'ACCOUNT', of: ({ accountId }) => (accountId === undefined ? 'not linked' : 'linked') },
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

export function statusText(screen: Screen, status: QuorumStatus, people: People): string {
  const { mode, epochNumber, memberCount, threshold, innerQuorumMemberIds: inner, memberId, holdersChanged } = status;
  if (epochNumber === 0)
    return 'The quorum has no members. An administrator adds the first with: conclave quorum members add NAME';
  return details(screen, [
    ['Members', `${memberCount}: ${listed(people.members.map(({ metadata }) => metadata.name))}`],
    ['Decide together', String(threshold)],
    ...(inner.length === 0 ? [] : ([['Inner quorum', listed(inner.map(people.nameOf))]] as const)),
    ['Mode', modes[mode]],
    ['Epoch', String(epochNumber)],
    ['You', memberId === undefined ? 'are no member' : `are ${people.nameOf(memberId)}`],
    ...(holdersChanged === undefined || holdersChanged === 0
      ? []
      : ([
          [
            'Share anew',
            `${holdersChanged} ${holdersChanged === 1 ? 'document' : 'documents'}: conclave quorum documents --holders-changed true`,
          ],
        ] as const)),
  ]);
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
