export interface FileKeepingTables {
  file_keeping: FileKeepingRow;
  file_origins: FileOriginRow;
  file_erasures: PendingErasureRow;
  file_scans: FileScanRow;
  file_quarantine: FileQuarantineRow;
  file_watermarks: FileWatermarkRow;
}

/** What the owner of a container chose. A missing row, and null: as the operator configured. */
export interface FileKeepingRow {
  container_id: string;
  trash_days: number | null;
  /** how many versions of a file stay; 0: all */
  versions_number: number | null;
  /** how many days an older version stays; 0: for ever */
  versions_days: number | null;
  /** of files that are added from then on */
  visible_watermark: number | null;
  invisible_watermark: number | null;
}

/** Where the first version of a file is recorded in the ledger, once that version is gone. */
export interface FileOriginRow {
  file_id: string;
  ledger_entry: string;
}

/** Slots of erasure keys that have to go, because what they open was removed. */
export interface PendingErasureRow {
  id: string;
  /** JSON: numbers */
  slots: string;
  created_at: number;
}

/** A content that a scanner found clean. */
export interface FileScanRow {
  content_id: string;
  /** hash over the hashes of its blocks: another one is another content */
  root: string;
  scanned_at: number;
}

/** An upload that a scanner refused. Its content stays, encrypted, until somebody decides. */
export interface FileQuarantineRow {
  /** of the upload */
  id: string;
  container_id: string;
  /** whoever uploaded it */
  member_id: string;
  file_id: string;
  content_id: string;
  name: string;
  size: number;
  /** what the scanner calls it */
  found: string | null;
  /** as in file_scans */
  root: string;
  /** JSON: the row of the upload */
  upload: string;
  created_at: number;
}

/** An access to a preview with an invisible watermark. */
export interface FileWatermarkRow {
  /** what the watermark says: 8 random bytes, hex */
  id: string;
  container_id: string;
  file_id: string;
  version_id: string;
  member_id: string;
  address: string;
  ledger_entry: string;
  created_at: number;
}
