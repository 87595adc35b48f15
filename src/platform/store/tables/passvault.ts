export interface PassvaultTables {
  passvault_vaults: PassvaultVaultRow;
  passvault_members: PassvaultMemberRow;
  passvault_pages: PassvaultPageRow;
  passvault_entries: PassvaultEntryRow;
  passvault_attachments: PassvaultAttachmentRow;
  passvault_emergency: PassvaultEmergencyRow;
  passvault_trustees: PassvaultTrusteeRow;
  passvault_notices: PassvaultNoticeRow;
  passvault_audit: PassvaultAuditRow;
}

export interface PassvaultVaultRow {
  id: string;
  owner_id: string;
  /** sealed under a key of the node, so that lists can show it while the vault is closed */
  name: Uint8Array;
  /** MAC of the name, unique for its owner; null in vaults that are older than this column */
  name_key: string | null;
  /** bcrypt of base64(SHA-384(master password)) */
  password_hash: string;
  argon2_salt: Uint8Array;
  memory_kib: number;
  passes: number;
  lanes: number;
  /** the vault's BIP39 seed, sealed under a key of the node */
  wrapped_seed: Uint8Array;
  /** the data key, sealed under the vault key */
  wrapped_key: Uint8Array;
  /** number of the current data key, from 1 */
  key_version: number;
  /** sealed under the data key; only the right key opens it, which shows whether a key is right */
  header: Uint8Array;
  entry_count: number;
  /** number of the current configuration of emergency access, from 1; 0 if there never was one */
  emergency_epoch: number;
  created_at: number;
  updated_at: number;
}

/** The members of a vault. Primary key: vault_id, member_id. */
export interface PassvaultMemberRow {
  vault_id: string;
  member_id: string;
  role: 'owner' | 'recipient';
  /** the data key, ECIES to the member; null for the owner, who has the master password */
  wrapped_key: Uint8Array | null;
  added_at: number;
}

/** The property records of up to 256 entries, sealed together under the data key. Primary key: vault_id, page. */
export interface PassvaultPageRow {
  vault_id: string;
  page: number;
  records: number;
  version: number;
  sealed: Uint8Array;
}

export interface PassvaultEntryRow {
  id: string;
  vault_id: string;
  /** the page that holds its property record */
  page: number;
  version: number;
  /** sealed under the data key */
  sealed: Uint8Array;
  created_at: number;
  updated_at: number;
}

export interface PassvaultAttachmentRow {
  id: string;
  vault_id: string;
  entry_id: string;
  /** id of the block with the content, which is sealed under the data key */
  block_id: string;
  size_bytes: number;
  /** name and media type, sealed under the data key */
  sealed: Uint8Array;
  created_at: number;
}

export interface PassvaultEmergencyRow {
  vault_id: string;
  /** number of the configuration, from 1; shares of another configuration are worthless */
  epoch: number;
  threshold: number;
  /** public key of the pair whose private key the trustees share */
  public_key: Uint8Array;
  /** the data key, encrypted to that pair with ECIES */
  wrapped_key: Uint8Array;
  created_at: number;
}

/** Primary key: vault_id, trustee_id. */
export interface PassvaultTrusteeRow {
  vault_id: string;
  trustee_id: string;
  epoch: number;
  /** ECIES to the trustee */
  encrypted_share: Uint8Array;
  /** SHA-256 of the share; null for shares that are older than this column */
  share_hash: Uint8Array | null;
  /** when the trustee first read it */
  read_at: number | null;
}

/** Notices for the owner of a vault, until they are dismissed or expire. */
export interface PassvaultNoticeRow {
  id: string;
  vault_id: string;
  owner_id: string;
  /** the member who caused the notice */
  member_id: string;
  kind: 'RECOVERY_REQUESTED' | 'RECOVERED' | 'EMERGENCY_ENDED';
  /** configuration of the shares that were used; unique with vault_id, member_id and kind */
  epoch: number;
  created_at: number;
  /** only for a request: the time until which it can be denied */
  ends_at: number | null;
}

/** The audit log of vaults. Rows are only added, and stay when the vault is removed. */
export interface PassvaultAuditRow {
  id: string;
  vault_id: string;
  member_id: string;
  action: string;
  /** JSON of ids and counts, never of content of an entry; null for none */
  metadata: string | null;
  /** id of the ledger entry that commits to this row; the log is read in this order */
  ledger_entry: string;
  created_at: number;
}
