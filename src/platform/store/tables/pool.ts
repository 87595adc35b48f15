import type { Generated } from 'kysely';

export interface PoolTables {
  pool_state: PoolStateRow;
  pool_lists: PoolListRow;
  pool_evidence: PoolEvidenceRow;
  pool_evidence_dropped: PoolEvidenceDroppedRow;
  pool_recorded: PoolRecordedRow;
  pool_open_decisions: PoolOpenDecisionRow;
  pool_resolutions: PoolResolutionRow;
  pool_writers: PoolWriterRow;
  pool_contacts: PoolContactRow;
  pool_requests: PoolRequestRow;
  pool_joins: PoolJoinRow;
  pool_proposals: PoolProposalRow;
  pool_tokens: PoolTokenRow;
  pool_token_uses: PoolTokenUseRow;
}

/** The pool that this node follows, and its list in force. One row with id 1; no row before the first use. */
export interface PoolStateRow {
  id: number;
  pool_id: string;
  version: number;
  /** hash of the list, hex */
  hash: string;
  /** id of the ledger entry that put this list in force; to put an earlier list back in force, an attacker would have to change the ledger too */
  ledger_entry: string;
  /** how often the open decisions were changed; whoever remembers what is in force compares it */
  decisions: Generated<number>;
}

/** Every list that was in force here, by pool and version. */
export interface PoolListRow {
  pool_id: string;
  version: number;
  /** SHA-256 of the document, hex */
  hash: string;
  /** canonical JSON, the exact bytes that were signed */
  document: string;
  /** JSON array of {memberId, signature} */
  signatures: string;
  /** digest of who has signed this list and those before it, hex; empty if it is not made */
  signers: string;
  accepted_at: number;
  /** id of the node that sent the list; this node's own id if the list was made here */
  source: string;
}

/** A validly signed list of a version for which another list is or was in force. */
export interface PoolEvidenceRow {
  pool_id: string;
  version: number;
  hash: string;
  document: string;
  signatures: string;
  /** digest of who has signed it, hex; empty if it is not made */
  signers: string;
  found_at: number;
  source: string;
  /** 1 if an entry of the ledger names it, 0 if it is only counted so far */
  recorded: Generated<number>;
}

/** How much of what was signed against other lists was recorded one by one in the ledger on a day, and how much was only counted. */
export interface PoolRecordedRow {
  pool_id: string;
  /** days since 1970, UTC */
  day: number;
  what: 'lists' | 'forks';
  /** ids of administrators; empty for all together */
  signers: string;
  recorded: number;
  counted: number;
}

/** How many contradicting lists of a version were not kept, because there were too many. */
export interface PoolEvidenceDroppedRow {
  pool_id: string;
  version: number;
  lists: number;
}

/** A decision of a branch that doesn't count, which makes the pool safer and which the list in force hasn't taken over yet. */
export interface PoolOpenDecisionRow {
  pool_id: string;
  kind: 'removal' | 'refusal' | 'administrator' | 'expiry' | 'mode' | 'threshold';
  /** id of the node or administrator; empty for the mode and the threshold */
  subject: string;
  value: string;
  /** id of the administrator who removed or refused the node; otherwise empty */
  decided_by: string;
  /** ISO 8601, as the branch says */
  issued_at: string;
  /** version of the list after which the branch begins */
  since: number;
}

/** A fork that an administrator of this node decided. */
export interface PoolResolutionRow {
  pool_id: string;
  /** hash of the list after which the fork begins */
  after_hash: string;
  /** hash of the list that this node follows after it */
  adopted: string;
  decided_at: number;
  decided_by: string;
}

/** The nodes that the list in force names, and those that earlier lists named. Every connection looks them up here. */
export interface PoolWriterRow {
  pool_id: string;
  node_id: string;
  /** compressed, 33 bytes as hex */
  public_key: string;
  mail_domain: string | null;
  added_at: number;
  added_by: string;
  /** null: it never expires */
  expires_at: number | null;
  /** version of the first list that no longer names the node; null while it is named */
  removed_version: number | null;
}

/** The last known addresses of a node. */
export interface PoolContactRow {
  node_id: string;
  /** JSON array of multiaddrs */
  addresses: string;
  /** null: this node was never connected to it */
  last_seen_at: number | null;
}

/** The last join request of each node, and its outcome. */
export interface PoolRequestRow {
  node_id: string;
  pool_id: string;
  /** canonical JSON, as the node signed it */
  document: string;
  signature: string;
  public_key: string;
  /** without control characters */
  message: string;
  mail_domain: string | null;
  /** JSON array of multiaddrs */
  addresses: string;
  /** by the clock of the node that asks; a later request has a later time */
  requested_at: number;
  received_at: number;
  /** id of the node that forwarded the request; the id of the asking node if it came directly */
  source: string;
  status: 'pending' | 'approved' | 'denied' | 'withdrawn';
  decided_at: number | null;
  decided_by: string | null;
  /** JSON of the signed denial */
  denial: string | null;
}

/** Join requests of this node to others. At most one of them is in progress. */
export interface PoolJoinRow {
  id: string;
  /** multiaddr */
  address: string;
  /** the pool that this node wants to join, given by the operator or learnt at the first contact */
  pool_id: string | null;
  /** compressed public key of the node that was asked, hex; null before the first contact */
  host_key: string | null;
  message: string;
  mail_domain: string | null;
  status: 'asking' | 'pending' | 'approved' | 'denied' | 'refused' | 'withdrawn' | 'expired';
  reason: string | null;
  attempts: number;
  asked_at: number;
  /** timestamp of the last request that was sent; null before the first */
  requested_at: number | null;
  updated_at: number;
  last_error: string | null;
  /** JSON of what shows that this node has a join token; the token itself is not stored */
  token: string | null;
}

/** A next access list that some administrators have signed, and not yet enough of them. */
export interface PoolProposalRow {
  pool_id: string;
  hash: string;
  version: number;
  /** hash of the list that it changes; once that list is no longer active, the proposal is stale */
  prev: string;
  document: string;
  /** JSON array of {memberId, signature}; the first is of the administrator who proposes it */
  signatures: string;
  received_at: number;
  expires_at: number;
  /** id of the node that sent it; this node's own id if it was made here */
  source: string;
}

/** A join token that was made on this node. Its secret is not stored. */
export interface PoolTokenRow {
  id: string;
  pool_id: string;
  /** canonical JSON, as an administrator signed it */
  document: string;
  signature: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
}

/** A node that was admitted by a join token. */
export interface PoolTokenUseRow {
  token_id: string;
  node_id: string;
  used_at: number;
}
