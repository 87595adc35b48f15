import type { LinkMode, PermissionLevel } from '../../../contract/filevault/limits.ts';

export interface FileShareTables {
  file_shares: FileShareRow;
  file_links: FileLinkRow;
  file_share_keys: FileShareKeyRow;
}

/** A file that a member shared with another one. Unique: file_id, recipient_id, shared_by. */
export interface FileShareRow {
  id: string;
  file_id: string;
  container_id: string;
  recipient_id: string;
  shared_by: string;
  level: PermissionLevel;
  created_at: number;
}

/** A link to one content of a file. It stays when it is revoked, and when the file is destroyed, so that it can say so. */
export interface FileLinkRow {
  id: string;
  /** SHA-256 of the token, hex; unique. The token is nowhere. */
  token_hash: string;
  /** the first six characters of the token, for lists */
  token_start: string;
  file_id: string;
  container_id: string;
  version_id: string;
  content_id: string;
  created_by: string;
  mode: LinkMode;
  /** 1: it has a password */
  protected: number;
  /** Argon2id of the password; null without one, and once it is revoked */
  verifier: Uint8Array | null;
  salt: Uint8Array | null;
  memory_kib: number;
  passes: number;
  lanes: number;
  /** hex, of the mode ephemeral_key_pair */
  ephemeral_key: string | null;
  /** hex, of the mode recipient_public_key */
  recipient_key: string | null;
  expires_at: number | null;
  max_count: number | null;
  access_count: number;
  revoked_at: number | null;
  created_at: number;
}

/** The key of a content for a share or a link. Primary key: share_id, content_id. */
export interface FileShareKeyRow {
  /** of the share or link */
  share_id: string;
  content_id: string;
  file_id: string;
  /** ECIES to whoever it is for, under the erasure key of the content; null once the share or link is revoked */
  sealed: Uint8Array | null;
  /** SHA-256 of the ECIES message, hex: destruction lists every key that was ever given */
  hash: string;
  created_at: number;
}
