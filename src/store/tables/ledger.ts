/** The ledger: see ledger/append.ts. Only the openings are ever changed or deleted. */
export interface LedgerTables {
  ledger_entries: LedgerEntryRow;
  ledger_subtrees: LedgerSubtreeRow;
  ledger_head: LedgerHeadRow;
  ledger_openings: LedgerOpeningRow;
  ledger_checkpoints: LedgerCheckpointRow;
}

export interface LedgerEntryRow {
  /** zero-based, without gaps */
  leaf_index: number;
  /** RFC 6962 leaf hash of `body`, 32 bytes */
  leaf_hash: Uint8Array;
  /** canonical JSON (RFC 8785) */
  body: Uint8Array;
}

/** The hash of a complete subtree with at least two leaves. */
export interface LedgerSubtreeRow {
  /** its number in the in-order numbering of the tree; see crypto/merkle.ts */
  node: number;
  hash: Uint8Array;
}

/** The state of the ledger: one row, which exists from the first entry on. */
export interface LedgerHeadRow {
  /** always 1 */
  id: number;
  /** number of entries */
  size: number;
  /** the hashes of the complete subtrees at the right edge, largest first, 32 bytes each */
  frontier: Uint8Array;
  /** the verifier key under which the newest entries were written */
  log_key: string;
  /** index of the entry that names the owner of that key */
  genesis: number;
  /** HMAC-SHA256 of the other columns under a key of the node */
  seal: Uint8Array;
}

/** Opens the commitment of an entry. Deleting a row erases the details of the entry permanently. */
export interface LedgerOpeningRow {
  leaf_index: number;
  /** 32 random bytes */
  salt: Uint8Array;
  /** canonical JSON */
  details: Uint8Array;
}

/** A checkpoint that this node has published. */
export interface LedgerCheckpointRow {
  size: number;
  /** the signed note */
  note: string;
  created_at: number;
}
