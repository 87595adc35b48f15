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
  /** sealed under a key of the node: lists show it while the vault is closed */
  name: Uint8Array;
  /** MAC of the name, unique for its owner; null in vaults of before there was one */
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
  /** counts the data keys, from 1 */
  key_version: number;
  /** sealed under the data key: opens with the right one alone */
  header: Uint8Array;
  entry_count: number;
  /** counts the configurations of emergency access, from 1; 0 where there never was one */
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
  /** where its property record is */
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
  /** of the content, sealed under the data key */
  block_id: string;
  size_bytes: number;
  /** name and media type, sealed under the data key */
  sealed: Uint8Array;
  created_at: number;
}

export interface PassvaultEmergencyRow {
  vault_id: string;
  /** counts the configurations, from 1; shares of another one are worthless */
  epoch: number;
  threshold: number;
  /** of the pair whose private key the trustees share */
  public_key: Uint8Array;
  /** the data key, ECIES to that pair */
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
  /** SHA-256 of the share; null for one of before shares had it */
  share_hash: Uint8Array | null;
  /** when the trustee first read it */
  read_at: number | null;
}

/** Notices for the owner of a vault, until they are dismissed or expire. */
export interface PassvaultNoticeRow {
  id: string;
  vault_id: string;
  owner_id: string;
  /** who did it */
  member_id: string;
  kind: 'RECOVERY_REQUESTED' | 'RECOVERED' | 'EMERGENCY_ENDED';
  /** of the shares that were brought; unique with vault_id, member_id and kind */
  epoch: number;
  created_at: number;
  /** of a request: until when it can be denied */
  ends_at: number | null;
}

/** Only ever added to, also when the vault is gone. */
export interface PassvaultAuditRow {
  id: string;
  vault_id: string;
  member_id: string;
  action: string;
  /** JSON of ids and counts, never of what is in an entry; null for none */
  metadata: string | null;
  /** of the entry that commits to it; the log is read in this order */
  ledger_index: number;
  ledger_hash: string;
  created_at: number;
}
