import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { line, memberId, recordId, timestamp } from '../text.ts';
import { quorumLimits } from './limits.ts';

const auditRecord = v.object({
  id: recordId,
  action: v.pipe(v.string(), v.description('such as `VOTE_CAST`')),
  actorId: v.pipe(memberId, v.description('the account that did it, or the operator')),
  subject: v.pipe(v.string(), v.description('kind and id of what it is about: `proposal/<id>`')),
  details: v.record(v.string(), v.unknown()),
  timestamp,
  blockHeight: v.pipe(v.number(), v.description('index of the ledger entry that commits to this record')),
  ledgerEntryHash: v.string(),
});
export type AuditRecord = v.InferOutput<typeof auditRecord>;

const metrics = v.object({
  proposals: v.object({ total: v.number(), pending: v.number() }),
  votes: v.object({
    total: v.number(),
    latencyMs: v.pipe(v.number(), v.description('mean time from a proposal to its votes; 0 without votes')),
  }),
  members: v.object({ active: v.number() }),
  epoch: v.object({ current: v.pipe(v.number(), v.description('0 before the first member')) }),
  redistribution: v.object({
    progress: v.pipe(v.number(), v.description('share of the documents whose holders are all members, from 0 to 1')),
    failures: v.pipe(v.number(), v.description('re-sharings that expired, or that the rules cancelled')),
  }),
  expiration: v.object({
    lastRun: v.pipe(v.nullable(timestamp), v.description('when something expired last')),
    expiredTotal: v.pipe(v.number(), v.description('proposals, sessions and re-sharings that expired')),
  }),
  documents: v.object({
    total: v.number(),
    holdersChanged: v.pipe(v.number(), v.description('documents with a holder who is no member any more')),
    outOfReach: v.pipe(v.number(), v.description('of them those with fewer members among the holders than it takes')),
  }),
});
export type QuorumMetrics = v.InferOutput<typeof metrics>;

const verification = v.object({
  valid: v.boolean(),
  entriesVerified: v.pipe(
    v.number(),
    v.description('records of the audit trail to which the ledger commits, all of them'),
  ),
  newEntries: v.pipe(v.number(), v.description('those of them that no earlier verification had read')),
  error: v.pipe(v.nullable(v.string()), v.description('the first fault, and how many more there are')),
  faults: v.pipe(
    v.array(v.string()),
    v.description('at most 100; rows are named by table and key: `votes/<proposal>/<voter>`'),
  ),
  moreFaults: v.pipe(v.number(), v.description('those that are not in the list')),
});
export type AuditVerification = v.InferOutput<typeof verification>;

export const quorumAudit = {
  verifyAudit: operation({
    id: 'quorum.verify-audit',
    method: 'GET',
    path: '/api/quorum/audit/verify',
    envelope: 'quorum',
    auth: 'member',
    summary: 'Verify the audit trail and every row of the quorum by it',
    description:
      'For active members of the quorum and administrators. The entries of the ledger must lead to the head that this node sealed, each ' +
      'record must be the one to which its entry commits, each row the one that was recorded, and each vote signed. Entries that were ' +
      'verified before are not read again. `conclave ledger verify --full` checks all of the ledger itself.',
    input: v.object({}),
    reply: v.object({ verification }),
    status: 200,
    message: 'Audit trail verified',
    limit: { name: 'quorumVerifying' },
    errors: ['AUDIT_BUSY'],
  }),
  listAudit: operation({
    id: 'quorum.audit',
    method: 'GET',
    path: '/api/quorum/audit',
    envelope: 'quorum',
    auth: 'member',
    summary: 'Read the audit trail of the quorum, newest first',
    description:
      'For active members of the quorum and administrators. An entry of the ledger commits to each record. `from` is included, `to` is not.',
    ...paged({
      name: 'records',
      of: auditRecord,
      filter: {
        subject: v.optional(v.pipe(line(quorumLimits.subject), v.description('kind and id: `document/<id>`'))),
        action: v.optional(v.pipe(line(quorumLimits.action), v.description('such as `VOTE_CAST`'))),
        from: v.optional(timestamp),
        to: v.optional(timestamp),
      },
      errors: ['LEDGER_BEHIND', 'LEDGER_DAMAGED'],
    }),
    status: 200,
    message: 'Audit trail',
  }),
  metrics: operation({
    id: 'quorum.metrics',
    method: 'GET',
    path: '/api/quorum/metrics',
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show the numbers of the quorum',
    description: 'For active members of the quorum and administrators. They are counted when they are asked for.',
    input: v.object({}),
    reply: v.object({ metrics }),
    status: 200,
    message: 'Metrics',
    errors: [],
  }),
};
