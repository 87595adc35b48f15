import type { PermissionLevel } from '../../../contract/filevault/limits.ts';

export interface FilevaultTables {
  file_containers: FileContainerRow;
  file_nodes: FileNodeRow;
  file_permission_sets: FilePermissionSetRow;
  file_acl_entries: FileAclEntryRow;
  file_erasure: FileErasureRow;
  file_container_keys: FileContainerKeyRow;
  file_member_keys: FileMemberKeyRow;
  file_contents: FileContentRow;
  file_blocks: FileBlockRow;
  file_versions: FileVersionRow;
  file_uploads: FileUploadRow;
  file_audit: FileAuditRow;
  file_destructions: FileDestructionRow;
}

export interface FileContainerRow {
  id: string;
  owner_id: string;
  name: string;
  /** in the form in which names are compared; unique for its owner, and null once it is destroyed */
  name_key: string | null;
  description: string | null;
  state: 'active' | 'locked' | 'destroyed';
  root_id: string;
  /** bytes; null: the quota of the owner alone */
  quota: number | null;
  /** bytes of all versions of its files */
  used: number;
  /** bytes of uploads that are not finished */
  reserved: number;
  quorum_governed: number;
  /** 1: the node does not have its keys */
  client_encrypted: number;
  created_at: number;
  updated_at: number;
}

/** A folder or a file. What is in a folder of the trash is in the trash with it, and has no mark of its own. */
export interface FileNodeRow {
  id: string;
  container_id: string;
  /** 0: a folder, 1: a file */
  kind: 0 | 1;
  /** null: the root folder of its container */
  parent_id: string | null;
  name: string;
  /** in the form in which names are compared; unique in its folder outside the trash */
  name_key: string;
  description: string | null;
  /** JSON: texts */
  tags: string;
  /** empty for a folder */
  mime_type: string;
  /** bytes of the current version; 0 for a folder */
  size: number;
  /** null for a folder */
  version_id: string | null;
  quorum_governed: number;
  visible_watermark: number;
  invisible_watermark: number;
  /** when its content was first opened; null: never */
  accessed_at: number | null;
  deleted_at: number | null;
  destruction_at: number | null;
  created_at: number;
  created_by: string;
  updated_at: number;
  updated_by: string;
  /** of its content, as whoever uploaded it says; for a folder, when it was created or renamed */
  modified_at: number;
}

export interface FilePermissionSetRow {
  id: string;
  created_by: string;
  name: string;
  name_key: string;
  /** JSON: flags */
  flags: string;
  organization_id: string | null;
  created_at: number;
}

/** One entry of an access control list. Primary key: node_id, place. */
export interface FileAclEntryRow {
  node_id: string;
  /** from 0, in the order in which the list was given */
  place: number;
  container_id: string;
  principal_id: string;
  /** either a level or flags decide */
  level: PermissionLevel | null;
  /** JSON: flags; with a set, those of both */
  flags: string | null;
  set_id: string | null;
  /** JSON, see contract/filevault/acl.ts */
  conditions: string | null;
}

/**
 * A file of erasure keys, see erasure.ts. One of them is in use; the keys of the others are lost. A slot belongs to the file that it is in
 * the range of, so what names a slot names its file too.
 */
export interface FileErasureRow {
  /** of the file */
  id: string;
  first_slot: number;
  /** the first slot that was never handed out */
  next_slot: number;
  /** how often something was erased; the file counts along */
  generation: number;
  /** how many of these erasures may not be in the file yet */
  unfinished: number;
  /** 1: nobody has the file any more, and nothing under its keys can be opened */
  lost: number;
}

/** A key of a container. Primary key: container_id, number. */
export interface FileContainerKeyRow {
  container_id: string;
  /** from 1; the highest one is in use */
  number: number;
  /** under a key of the node */
  for_node: Uint8Array;
  created_at: number;
}

/** The same key for a member. Primary key: container_id, number, member_id. */
export interface FileMemberKeyRow {
  container_id: string;
  number: number;
  member_id: string;
  /** ECIES to the public key of the member */
  wrapped: Uint8Array;
}

/** The encrypted bytes of one or more versions of a file. */
export interface FileContentRow {
  id: string;
  file_id: string;
  container_id: string;
  /** of the erasure key that the wrap of its key is under */
  slot: number;
  /** of the key of the container that the wrap is under */
  key_number: number;
  /** empty: the upload is to a client-encrypted container, and its client has not sent the wrap yet */
  wrapped_key: Uint8Array;
  /** sizes and hashes of its blocks, under its key; null until the upload is finished */
  manifest: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
  /** bytes of the plaintext of every block but the last one */
  chunk_size: number;
  created_at: number;
}

/** A block of a content. Primary key: content_id, place. */
export interface FileBlockRow {
  content_id: string;
  /** from 0 */
  place: number;
  /** SHA3-512 of the ciphertext, hex */
  hash: string;
  /** null: the ciphertext is in `sealed` */
  block_id: string | null;
  sealed: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
}

export interface FileVersionRow {
  id: string;
  file_id: string;
  /** from 1 */
  number: number;
  /** a version that was restored shares it with the older one */
  content_id: string;
  size: number;
  mime_type: string;
  modified_at: number;
  created_at: number;
  created_by: string;
  /** the entry of the ledger that records it */
  ledger_entry: string;
}

/** An upload, and for a while what became of it. */
export interface FileUploadRow {
  id: string;
  member_id: string;
  container_id: string;
  folder_id: string;
  /** the file that it makes, or that gets a new version */
  file_id: string;
  /** 1: the file exists, and gets a new version */
  replaces: number;
  content_id: string;
  name: string;
  mime_type: string;
  /** as the client says; null: the moment at which it is finished */
  modified_at: number | null;
  size: number;
  chunk_size: number;
  chunks: number;
  finalized_at: number | null;
  created_at: number;
  expires_at: number;
}

/** A file that was destroyed, or is being destroyed: nothing else of it is left. */
export interface FileDestructionRow {
  file_id: string;
  container_id: string;
  /** in which it was */
  folder_id: string;
  /** JSON: what was destroyed, see services/filevault/destruction/inventory.ts */
  inventory: string;
  /** Merkle root of the inventory, hex */
  root: string;
  /** JSON: the slots whose erasure keys go */
  slots: string;
  /** bytes of all its contents */
  size: number;
  requested_by: string;
  requested_at: number;
  /** the entry of the ledger that says it is done; null until then */
  ledger_entry: string | null;
  destroyed_at: number | null;
}

/** What somebody did in a container. */
export interface FileAuditRow {
  id: string;
  /** empty: in no container */
  container_id: string;
  node_id: string | null;
  /** null: somebody with a link */
  member_id: string | null;
  address: string;
  action: string;
  /** JSON: ids and counts, never content */
  metadata: string | null;
  ledger_entry: string;
  created_at: number;
}
