import type { pool } from '../../contract/pool.ts';
import type {
  AccessList,
  AccessListEvidence,
  AccessListSummary,
  PendingNode,
  PoolJoin,
  PoolNode,
} from '../../contract/pool/shapes.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { forkRows } from './fork-details.ts';
import { clockRows } from './clock-details.ts';
import { fingerprintLine, hexGroups } from './pool-node.ts';
import { noticed } from '../ledger/ledger-details.ts';
import { moment, yesNo, type Screen } from '../kit/screen.ts';
import { details, table } from '../kit/table.ts';

type Refusal = NonNullable<PoolNode['refusal']>;

const memberships = { member: 'admitted', expired: 'expired', removed: 'removed' } as const;

export function describePool(screen: Screen, status: ReplyOf<(typeof pool)['status']>): string {
  const { node, pool: of } = status;
  return details(screen, [
    ['Node', node.nodeId],
    ['Fingerprint', fingerprintLine(node.fingerprint)],
    ['Addresses', node.addresses.join(', ') || 'no network'],
    ['Pool', fingerprintLine(of.fingerprint)],
    ['Pool id', of.poolId],
    ['This node is', memberships[of.membership]],
    ['Access list', `version ${of.version} of ${moment(screen, of.issuedAt)}`],
    ['Mode', of.mode],
    ['Nodes', `${of.writers}, ${status.connected} connected${silentNodes(status.silent)}`],
    ...clockRows(status, (nodeId) => shortId(screen, nodeId)),
    [
      'Administrators',
      of.threshold > 1 ? `${of.admins.length}, ${of.threshold} of them sign a change` : String(of.admins.length),
    ],
    ['Asking to join', String(status.pending)],
    ...(status.evidence > 0
      ? ([['Contradictions', `${status.evidence}: see conclave admin nodes acl history --evidence`]] as const)
      : []),
    ...forkRows(screen, status),
    ...noticed(status.stopped, status.contradictions, status.noticed),
    ...(status.join === undefined ? [] : joinDetails(screen, status.join)),
  ]);
}

function silentNodes(count: number): string {
  return count === 0 ? '' : `, ${count} of them ${count === 1 ? 'does' : 'do'} not answer`;
}

export function joinDetails(screen: Screen, join: PoolJoin): [string, string][] {
  return [
    ['Request', `${join.status}, made ${moment(screen, join.askedAt)}`],
    ['Asked', join.address],
    ...(join.poolFingerprint === undefined
      ? []
      : [['Asked pool', fingerprintLine(join.poolFingerprint)] as [string, string]]),
    ...(join.reason === undefined ? [] : [['Reason', join.reason] as [string, string]]),
    ...(join.lastError === undefined ? [] : [['Last error', join.lastError] as [string, string]]),
  ];
}

export function pendingTable(screen: Screen, nodes: readonly PendingNode[]): string {
  return table(screen, nodes, [
    { title: 'NODE', of: ({ nodeId }) => shortId(screen, nodeId), whole: true },
    { title: 'FINGERPRINT', of: ({ fingerprint }) => fingerprint.words.slice(0, 4).join(' '), whole: true },
    { title: 'RECEIVED', of: ({ receivedAt }) => moment(screen, receivedAt), whole: true },
    { title: 'MAIL DOMAIN', of: ({ mailDomain }) => mailDomain ?? '-', spare: true },
    { title: 'MESSAGE', of: ({ message }) => message },
  ]);
}

function nodeTable(screen: Screen, nodes: readonly PoolNode[]): string {
  return table(screen, nodes, [
    { title: 'NODE', of: ({ nodeId }) => shortId(screen, nodeId), whole: true },
    { title: 'STATUS', of: ({ status, self }) => (self ? `${status}, this one` : status), whole: true },
    { title: 'CONNECTED', of: ({ connected }) => yesNo(connected), whole: true },
    { title: 'LAST SEEN', of: ({ lastSeenAt }) => moment(screen, lastSeenAt), whole: true },
    { title: 'EXPIRES', of: ({ expiresAt }) => moment(screen, expiresAt), whole: true },
    { title: 'MAIL DOMAIN', of: ({ mailDomain }) => mailDomain ?? '-', spare: true },
    { title: 'ADDRESSES', of: ({ addresses }) => addresses.join(' '), spare: true },
  ]);
}

/** The nodes of the pool, and below them those that it refused. */
export function nodeTables(screen: Screen, nodes: readonly PoolNode[], refused: readonly Refusal[]): string {
  if (refused.length === 0) return nodeTable(screen, nodes);
  const refusals = table(screen, refused, [
    { title: 'REFUSED NODE', of: ({ nodeId }) => shortId(screen, nodeId), whole: true },
    { title: 'STATUS', of: ({ kind }) => kind, whole: true },
    { title: 'SINCE', of: ({ at }) => moment(screen, at), whole: true },
    { title: 'BY', of: ({ by }) => by },
  ]);
  return [nodeTable(screen, nodes), refusals].join(Number.isFinite(screen.width) ? '\n\n' : '\n');
}

function refusalLine(screen: Screen, { kind, at, by }: Refusal): string {
  return `${kind} ${moment(screen, at)} by ${by}`;
}

export function describeNode(screen: Screen, node: PoolNode): string {
  return details(screen, [
    ['Node', node.nodeId],
    ['Status', node.status],
    ...(node.fingerprint === undefined
      ? []
      : ([
          ['Fingerprint', fingerprintLine(node.fingerprint)],
          ['Hex', hexGroups(node.fingerprint.hex)],
        ] as const)),
    ...(node.publicKey === undefined ? [] : [['Public key', node.publicKey] as const]),
    ['Message', node.message ?? '-'],
    ['Mail domain', node.mailDomain ?? '-'],
    ['Addresses', node.addresses.join(', ') || '-'],
    ['Connected', yesNo(node.connected)],
    ['Last seen', moment(screen, node.lastSeenAt)],
    ['Received', moment(screen, node.receivedAt)],
    ['Admitted', moment(screen, node.addedAt)],
    ['By', node.addedBy ?? '-'],
    ['Expires', moment(screen, node.expiresAt)],
    ...(node.decidedAt === undefined ? [] : [['Decided', moment(screen, node.decidedAt)] as const]),
    ...(node.reason === undefined ? [] : [['Reason', node.reason] as const]),
    ...(node.refusal === undefined ? [] : [['Refused', refusalLine(screen, node.refusal)] as const]),
  ]);
}

export function describeList(screen: Screen, { acl, hash, fingerprint, signatures }: AccessList): string {
  const lines = details(screen, [
    ['Pool', acl.poolId],
    ['Version', String(acl.version)],
    ['Hash', hash],
    ['Fingerprint', fingerprintLine(fingerprint)],
    ['Follows', acl.prev ?? '-'],
    ['Issued', moment(screen, acl.issuedAt)],
    ['Mode', acl.mode],
    ['Scope', [acl.scope.database, ...(acl.scope.collection === undefined ? [] : [acl.scope.collection])].join('/')],
    ['Signed by', signatures.map(({ memberId }) => memberId).join(', ')],
    ['Administrators', `${acl.threshold} of ${acl.admins.map(({ memberId }) => memberId).join(', ')}`],
  ]);
  const writers = table(screen, acl.writers, [
    { title: 'NODE', of: ({ nodeId }) => nodeId, whole: true },
    { title: 'MAIL DOMAIN', of: ({ mailDomain }) => mailDomain ?? '-' },
    { title: 'ADDED', of: ({ addedAt }) => moment(screen, addedAt) },
    { title: 'EXPIRES', of: ({ expiresAt }) => moment(screen, expiresAt ?? undefined) },
  ]);
  return [lines, writers].join(Number.isFinite(screen.width) ? '\n\n' : '\n');
}

export function historyTable(screen: Screen, versions: readonly AccessListSummary[]): string {
  return table(screen, versions, [
    { title: 'VERSION', of: ({ version }) => String(version), whole: true },
    { title: 'ISSUED', of: ({ issuedAt }) => moment(screen, issuedAt), whole: true },
    { title: 'MODE', of: ({ mode }) => mode, whole: true },
    { title: 'NODES', of: ({ writers }) => String(writers), whole: true },
    { title: 'SIGNED BY', of: ({ signers }) => signers.join(' ') },
    { title: 'HASH', of: ({ hash }) => hash },
  ]);
}

export function evidenceTable(screen: Screen, evidence: readonly AccessListEvidence[]): string {
  return table(screen, evidence, [
    { title: 'VERSION', of: ({ version }) => String(version), whole: true },
    { title: 'FOUND', of: ({ foundAt }) => moment(screen, foundAt), whole: true },
    { title: 'SIGNED BY', of: ({ signers }) => signers.join(' ') },
    { title: 'FROM', of: ({ source }) => source },
    { title: 'HASH', of: ({ hash }) => hash },
    { title: 'INSTEAD OF', of: ({ countingHash }) => countingHash ?? '-' },
  ]);
}

/** A short id that is enough for people to name a node. The full id for programs. */
export function shortId({ width }: Pick<Screen, 'width'>, nodeId: string): string {
  return Number.isFinite(width) ? nodeId.slice(0, 12) : nodeId;
}
