export interface FileProofTables {
  file_accesses: FileAccessRow;
  file_filters: FileFilterRow;
  file_filter_nodes: FileFilterNodeRow;
}

/** The first access to a file. It outlives the file. Primary key: container_id, file_id. */
export interface FileAccessRow {
  container_id: string;
  file_id: string;
  /** the entry of the ledger that records it */
  ledger_entry: string;
  /** 1: it is in the filter of its container */
  merged: number;
}

/** The Bloom filter of the files of a container that were accessed; see services/filevault/proofs/. */
export interface FileFilterRow {
  container_id: string;
  bits: number;
  salt: Uint8Array;
  /** files in it */
  count: number;
  /** of the Merkle tree over its chunks, hex */
  root: string;
  /** it has every access whose entry has a smaller index in the ledger */
  covers_to: number;
  /** what was answered until then is covered */
  as_of: number;
  /** the entry of the ledger that commits to it; null: it has changed since */
  ledger_entry: string | null;
}

/** A node of the tree over the chunks. Primary key: container_id, level, number. */
export interface FileFilterNodeRow {
  container_id: string;
  level: number;
  number: number;
  /** 32 bytes for each child: chunks of the filter at level 0, hashes above */
  children: Uint8Array;
}
