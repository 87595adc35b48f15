/** The ledger: see platform/ledger/append.ts. Of entries that have their place, only the openings are ever changed or deleted. */
export interface LedgerTables {
  ledger_waiting: LedgerWaitingRow;
  ledger_entries: LedgerEntryRow;
  ledger_subtrees: LedgerSubtreeRow;
  ledger_head: LedgerHeadRow;
  ledger_openings: LedgerOpeningRow;
  ledger_checkpoints: LedgerCheckpointRow;
  witnessed_logs: WitnessedLogRow;
  ledger_cosignatures: LedgerCosignatureRow;
  ledger_evidence: LedgerEvidenceRow;
  ledger_notices: LedgerNoticeRow;
  ledger_stops: LedgerStopRow;
  ledger_recoveries: LedgerRecoveryRow;
  node_instances: NodeInstanceRow;
}

/** An entry that waits for its place: see platform/ledger/sequencer.ts. On the embedded engine none waits, unless the store came from PostgreSQL. */
export interface LedgerWaitingRow {
  /** the order of storing, counted by the engine; only for the entries that wait at one time */
  position: number;
  /** sorts by age; see `appendEntry` */
  id: string;
  /** the entry without its index, and what opens its commitment; see platform/ledger/waiting.ts */
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

/** The largest checkpoint of another node's log that this node has found consistent with the ones before. See platform/ledger/witness/. */
export interface WitnessedLogRow {
  origin: string;
  node_id: string;
  /** of the node: secp256k1, 33 bytes, hex */
  public_key: string;
  /** verifier key of the log */
  log_key: string;
  size: number;
  root: Uint8Array;
  /** the signed note, with the signatures of the log key and of the node */
  note: string;
  seen_at: number;
  /** the log that the node began instead of this one */
  next_origin: string | null;
  /** the entry that binds the log key to the node: canonical JSON; null: remembered by an earlier version */
  genesis: string | null;
}

/** A cosignature of a checkpoint of this node by another node. */
export interface LedgerCosignatureRow {
  size: number;
  /** verifier key of the witness */
  witness: string;
  /** the text of the checkpoint that it is over */
  checkpoint: string;
  /** the line of the signed note */
  line: string;
  created_at: number;
}

/** Two checkpoints of a node that contradict each other. */
export interface LedgerEvidenceRow {
  /** SHA-256 of the document, hex */
  id: string;
  node_id: string;
  kind: string;
  /** the signed notes */
  one: string;
  other: string;
  /** the node that showed the second one */
  source: string;
  found_at: number;
  /** contradictions of the same node that were only counted */
  more: number;
  /** the file that shows it; see crypto/formats/ledger/evidence-file.ts. Empty: kept by an earlier version */
  document: string;
}

/** What this node noticed about the ledger of another one, once for each kind. */
export interface LedgerNoticeRow {
  node_id: string;
  kind: string;
  /** JSON */
  details: string;
  noticed_at: number;
}

/** A reason why this node signs nothing until an operator recovers it. */
export interface LedgerStopRow {
  id: string;
  kind: string;
  /** JSON */
  details: string;
  noticed_at: number;
  recovered_at: number | null;
}

/** A log that this node gave up, and the one that it began in its place. */
export interface LedgerRecoveryRow {
  old_origin: string;
  new_origin: string;
  recovered_at: number;
}

/** A process of this node that is on the network now. With the embedded engine there is one, and it has no row. */
export interface NodeInstanceRow {
  /** drawn when the process started, hex */
  id: string;
  seen_at: number;
}
