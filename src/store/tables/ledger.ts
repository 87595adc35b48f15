/** The ledger: see ledger/append.ts. Nothing of it but the openings is ever changed or deleted. */
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

/** The hash of a complete subtree of two leaves or more. */
export interface LedgerSubtreeRow {
  /** its number in the in-order numbering of the tree; see crypto/merkle.ts */
  node: number;
  hash: Uint8Array;
}

/** One row, from the first entry on. */
export interface LedgerHeadRow {
  /** always 1 */
  id: number;
  /** how many entries there are */
  size: number;
  /** the hashes of the complete subtrees at the right edge, largest first, 32 bytes each */
  frontier: Uint8Array;
  /** the verifier key under which the newest entries were written */
  log_key: string;
  /** index of the entry that says whose that key is */
  genesis: number;
  /** HMAC-SHA256 of the others under a key of the node */
  seal: Uint8Array;
}

/** The openings of the commitments of entries. Deleting a row erases the details permanently. */
export interface LedgerOpeningRow {
  leaf_index: number;
  /** 32 random bytes */
  salt: Uint8Array;
  /** canonical JSON */
  details: Uint8Array;
}

/** A checkpoint that was given out. */
export interface LedgerCheckpointRow {
  size: number;
  /** the signed note */
  note: string;
  created_at: number;
}
