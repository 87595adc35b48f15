export interface FileClientKeyTables {
  file_client_keys: FileClientKeyRow;
}

/** A key of a client-encrypted container, which its members made. Primary key: container_id, number. */
export interface FileClientKeyRow {
  container_id: string;
  /** from 1; the highest one is in use */
  number: number;
  /** of the owner, over the number and a hash of the key; see crypto/formats/file-content/file-content.ts */
  signature: Uint8Array;
  created_at: number;
  /** when somebody who has it lost access, so that nothing new may be encrypted under it; null: never */
  retired_at: number | null;
}
