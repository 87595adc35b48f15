import * as v from 'valibot';
import { timestamp } from '../text.ts';

/** Schemas of the pool's answers. */

export const fingerprint = v.pipe(
  v.object({ hex: v.string(), words: v.array(v.string()) }),
  v.description('fingerprint of a public key or a list, for two people to compare'),
);

export const tombstone = v.pipe(
  v.object({
    nodeId: v.string(),
    kind: v.picklist(['removed', 'denied', 'banned']),
    at: timestamp,
    by: v.string(),
  }),
  v.description('what is remembered of a node that an administrator refused'),
);

export const request = v.object({
  nodeId: v.string(),
  publicKey: v.string(),
  message: v.string(),
  receivedAt: timestamp,
  fingerprint,
  requestedAt: timestamp,
  mailDomain: v.optional(v.string()),
  addresses: v.array(v.string()),
  source: v.pipe(v.string(), v.description('node that passed on the request, or the asking node itself')),
  refusal: v.optional(tombstone),
});
export type PendingNode = v.InferOutput<typeof request>;

export const nodeStatus = v.picklist(['admitted', 'expired', 'removed', 'pending', 'denied', 'withdrawn', 'banned']);

export const node = v.object({
  nodeId: v.string(),
  publicKey: v.optional(v.pipe(v.string(), v.description('missing if only the refusal of the node is known'))),
  fingerprint: v.optional(fingerprint),
  status: nodeStatus,
  self: v.boolean(),
  connected: v.boolean(),
  addresses: v.array(v.string()),
  mailDomain: v.optional(v.string()),
  addedAt: v.optional(timestamp),
  addedBy: v.optional(v.string()),
  expiresAt: v.optional(timestamp),
  lastSeenAt: v.optional(timestamp),
  message: v.optional(v.string()),
  receivedAt: v.optional(timestamp),
  decidedAt: v.optional(timestamp),
  reason: v.optional(v.string()),
  refusal: v.optional(tombstone),
});
export type PoolNode = v.InferOutput<typeof node>;

export const writer = v.object({
  nodeId: v.string(),
  publicKey: v.string(),
  mailDomain: v.optional(v.string()),
  addedAt: timestamp,
  addedBy: v.string(),
  expiresAt: v.nullable(timestamp),
});
export const admin = v.object({ memberId: v.string(), publicKey: v.string() });
export const mode = v.picklist(['approval', 'open', 'closed']);
export const scope = v.object({ database: v.string(), collection: v.optional(v.string()) });
export const signature = v.object({ memberId: v.string(), signature: v.string() });

const aclDocument = v.object({
  t: v.literal('pool-acl'),
  v: v.literal(1),
  poolId: v.string(),
  version: v.number(),
  prev: v.nullable(v.string()),
  mode,
  scope,
  writers: v.array(writer),
  tombstones: v.exactOptional(v.array(tombstone)),
  admins: v.array(admin),
  threshold: v.number(),
  issuedAt: timestamp,
});

export const list = v.object({
  poolId: v.string(),
  version: v.number(),
  hash: v.string(),
  fingerprint,
  acl: aclDocument,
  document: v.pipe(v.string(), v.description('canonical JSON, exactly as it was signed')),
  signatures: v.array(signature),
  acceptedAt: timestamp,
  source: v.string(),
});
export type AccessList = v.InferOutput<typeof list>;

export const listSummary = v.object({
  version: v.number(),
  hash: v.string(),
  issuedAt: timestamp,
  acceptedAt: timestamp,
  mode,
  writers: v.number(),
  admins: v.number(),
  signers: v.array(v.string()),
  source: v.string(),
});
export type AccessListSummary = v.InferOutput<typeof listSummary>;

export const proposal = v.object({
  hash: v.string(),
  fingerprint,
  version: v.number(),
  prev: v.string(),
  status: v.pipe(
    v.picklist(['open', 'stale', 'expired']),
    v.description('stale: the list that it changes is no longer active'),
  ),
  proposedAt: timestamp,
  proposedBy: v.string(),
  expiresAt: timestamp,
  signers: v.array(v.string()),
  threshold: v.pipe(v.number(), v.description('how many administrators must sign')),
  acl: aclDocument,
  document: v.pipe(v.string(), v.description('canonical JSON, exactly as it is signed')),
  source: v.string(),
});
export type AccessListProposal = v.InferOutput<typeof proposal>;

export const evidence = v.object({
  version: v.number(),
  hash: v.string(),
  countingHash: v.optional(v.pipe(v.string(), v.description('hash of the active list of this version'))),
  foundAt: timestamp,
  source: v.string(),
  signers: v.array(v.string()),
  document: v.string(),
  signatures: v.array(signature),
});
export type AccessListEvidence = v.InferOutput<typeof evidence>;

export const fork = v.object({
  version: v.number(),
  counting: v.pipe(v.string(), v.description('hash of the list that counts')),
  countingSigners: v.array(v.string()),
  other: v.pipe(v.string(), v.description('hash of the other list of this version')),
  otherSigners: v.array(v.string()),
  signedBy: v.pipe(
    v.picklist(['one', 'two']),
    v.description('one: one administrator signed both lists; two: two administrators signed one list each'),
  ),
  decidedBy: v.picklist(['rule', 'administrator']),
  lists: v.pipe(v.number(), v.description('number of lists of the branch that does not count')),
  lost: v.pipe(
    v.object({ nodes: v.array(v.string()), mailDomains: v.array(v.string()) }),
    v.description('admissions and mail domains of the branch that does not count; they have to be asked for again'),
  ),
});

export const decision = v.object({
  kind: v.picklist(['removal', 'refusal', 'administrator', 'expiry', 'mode', 'threshold']),
  subject: v.pipe(v.string(), v.description('id of the node or the administrator')),
  value: v.string(),
});

const branchEnd = v.object({ version: v.number(), hash: v.string() });
const difference = v.object({
  versions: v.number(),
  nodes: v.array(v.string()),
  administrators: v.array(v.string()),
});
export const branchPreview = v.object({
  active: branchEnd,
  branch: v.object({ ...branchEnd.entries, signers: v.array(v.string()) }),
  after: v.pipe(branchEnd, v.description('last list that both branches have')),
  drops: v.pipe(difference, v.description('what only the active list has')),
  brings: v.pipe(difference, v.description('what only the other branch has')),
});
export type BranchPreview = v.InferOutput<typeof branchPreview>;

export const joinToken = v.object({
  id: v.string(),
  status: v.picklist(['active', 'used', 'expired', 'revoked']),
  uses: v.pipe(v.number(), v.description('how many nodes it admits')),
  used: v.number(),
  issuedAt: timestamp,
  issuedBy: v.string(),
  expiresAt: timestamp,
  admittedUntil: v.optional(v.pipe(timestamp, v.description('when the admissions by it expire'))),
  nodes: v.pipe(v.array(v.string()), v.description('nodes that it admitted')),
});
export type JoinToken = v.InferOutput<typeof joinToken>;

export const join = v.object({
  id: v.string(),
  address: v.string(),
  status: v.picklist(['asking', 'pending', 'approved', 'denied', 'refused', 'withdrawn', 'expired']),
  message: v.string(),
  mailDomain: v.optional(v.string()),
  poolId: v.optional(v.string()),
  poolFingerprint: v.optional(fingerprint),
  hostNodeId: v.optional(v.string()),
  reason: v.optional(v.string()),
  lastError: v.optional(v.string()),
  askedAt: timestamp,
  updatedAt: timestamp,
});
export type PoolJoin = v.InferOutput<typeof join>;

export const self = v.object({
  nodeId: v.string(),
  publicKey: v.string(),
  fingerprint,
  addresses: v.array(v.string()),
});
