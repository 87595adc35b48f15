/** The ledger: see ledger/append.ts. Of entries that have their place, only the openings are ever changed or deleted. */
export interface LedgerTables {
  ledger_waiting: LedgerWaitingRow;
  ledger_entries: LedgerEntryRow;
  ledger_subtrees: LedgerSubtreeRow;
  ledger_head: LedgerHeadRow;
  ledger_openings: LedgerOpeningRow;
  ledger_checkpoints: LedgerCheckpointRow;
}

/** An entry that waits for its place: see ledger/sequencer.ts. On the embedded engine none waits, unless the store came from PostgreSQL. */
export interface LedgerWaitingRow {
  /** the order of storing, counted by the engine; only for the entries that wait at one time */
  position: number;
  /** sorts by age; see `appendEntry` */
  id: string;
  /** JSON: the entry without its index, and what opens its commitment */
  content: Uint8Array;
  /** HMAC-SHA256 of id and content under a key of the node */
  seal: Uint8Array;
}

export interface LedgerEntryRow {
  /** zero-based, without gaps */
  leaf_index: number;
  /** RFC 6962 leaf hash of `body`, 32 bytes */
  leaf_hash: Uint8Array;
  /** canonical JSON (RFC 8785) */
  body: Uint8Array;
  /** the name of the entry in other rows; null for one that no service recorded */
  entry_id: string | null;
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
