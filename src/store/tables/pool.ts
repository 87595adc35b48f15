export interface PoolTables {
  pool_state: PoolStateRow;
  pool_lists: PoolListRow;
  pool_evidence: PoolEvidenceRow;
  pool_writers: PoolWriterRow;
  pool_contacts: PoolContactRow;
  pool_requests: PoolRequestRow;
  pool_joins: PoolJoinRow;
}

/** The pool that this node follows, and the list that counts; one row with id 1, or none before the first use. */
export interface PoolStateRow {
  id: number;
  pool_id: string;
  version: number;
  /** of the list, hex */
  hash: string;
  /** where the ledger says that this list counts: an earlier one counts again only for who changes the ledger as well */
  ledger_index: number;
}

/** Every list that counted here, by pool and version. */
export interface PoolListRow {
  pool_id: string;
  version: number;
  /** SHA-256 of the document, hex */
  hash: string;
  /** canonical JSON, byte for byte what was signed */
  document: string;
  /** JSON array of {memberId, signature} */
  signatures: string;
  accepted_at: number;
  /** id of the node that it came from; this node's own where it was made here */
  source: string;
}

/** A validly signed list for a version for which another one counts, or counted. */
export interface PoolEvidenceRow {
  pool_id: string;
  version: number;
  hash: string;
  document: string;
  signatures: string;
  found_at: number;
  source: string;
}

/** Who the list in force names, and whom earlier ones did: what is asked for at every connection. */
export interface PoolWriterRow {
  pool_id: string;
  node_id: string;
  /** compressed, 33 bytes as hex */
  public_key: string;
  mail_domain: string | null;
  added_at: number;
  added_by: string;
  /** null: never */
  expires_at: number | null;
  /** version of the first list that doesn't name the node any more; null while it is named */
  removed_version: number | null;
}

/** Where a node was last reached. */
export interface PoolContactRow {
  node_id: string;
  /** JSON array of multiaddrs */
  addresses: string;
  /** null: never connected to this node */
  last_seen_at: number | null;
}

/** The last request of each node, and what became of it. */
export interface PoolRequestRow {
  node_id: string;
  pool_id: string;
  /** canonical JSON as the node signed it */
  document: string;
  signature: string;
  public_key: string;
  /** without control characters */
  message: string;
  mail_domain: string | null;
  /** JSON array of multiaddrs */
  addresses: string;
  /** by the clock of the node that asks: a later request has a later one */
  requested_at: number;
  received_at: number;
  /** id of the node that told of it; the asking node's own where it came directly */
  source: string;
  status: 'pending' | 'approved' | 'denied' | 'withdrawn';
  decided_at: number | null;
  decided_by: string | null;
  /** JSON of the signed denial */
  denial: string | null;
}

/** What this node asked of others: at most one of them is under way. */
export interface PoolJoinRow {
  id: string;
  /** multiaddr */
  address: string;
  /** the pool that is meant, told by the operator or at the first contact */
  pool_id: string | null;
  /** compressed public key of the node that was asked, hex; null before the first contact */
  host_key: string | null;
  message: string;
  mail_domain: string | null;
  status: 'asking' | 'pending' | 'approved' | 'denied' | 'refused' | 'withdrawn' | 'expired';
  reason: string | null;
  attempts: number;
  asked_at: number;
  /** timestamp of the request that was last sent; null before */
  requested_at: number | null;
  updated_at: number;
  last_error: string | null;
}
