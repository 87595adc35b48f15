import type { AppPasswordTables } from './app-passwords.ts';
import type { BlockTables } from './blocks.ts';
import type { BotTokenTables } from './bot-tokens.ts';
import type { ConversationAttachmentTables } from './conversation-attachments.ts';
import type { BookingTables } from './booking.ts';
import type { CalendarTables } from './calendars.ts';
import type { CalendarInvitationTables } from './calendar-invitations.ts';
import type { ContactTables } from './contacts.ts';
import type { ConversationDraftTables } from './conversation-drafts.ts';
import type { ConversationTables } from './conversations.ts';
import type { DavTables } from './dav.ts';
import type { EventTables } from './events.ts';
import type { FileShareTables } from './file-shares.ts';
import type { FileClientKeyTables } from './file-client-keys.ts';
import type { FileProofTables } from './file-proofs.ts';
import type { FileWorkflowTables } from './file-workflow.ts';
import type { FileKeepingTables } from './file-keeping.ts';
import type { FilevaultTables } from './filevault.ts';
import type { GossipTables } from './gossip.ts';
import type { HubTables } from './hubs.ts';
import type { MailTables } from './mail.ts';
import type { OutboxTables } from './outbox.ts';
import type { PoolTables } from './pool.ts';
import type { LedgerTables } from './ledger.ts';
import type { NotificationTables } from './notifications.ts';
import type { PassvaultTables } from './passvault.ts';
import type { PresenceTables } from './presence.ts';
import type { QuorumTables } from './quorum.ts';
import type { RoomKeyTables } from './room-keys.ts';
import type { RoomTables } from './rooms.ts';
import type { SearchTables } from './search.ts';
import type { SessionSecretTables } from './session-secrets.ts';
import type { SocialOwnTables } from './social-own.ts';
import type { SocialTables } from './social.ts';
import type { SocialMediaTables } from './social-media.ts';

/** Every table as kysely sees it, on both engines. Times are milliseconds since 1970, booleans 0 or 1, ids lower-case hex. */
export interface Tables
  extends
    AccountTables,
    AppPasswordTables,
    BlockTables,
    BotTokenTables,
    ConversationAttachmentTables,
    BookingTables,
    CalendarTables,
    CalendarInvitationTables,
    ContactTables,
    ConversationDraftTables,
    ConversationTables,
    DavTables,
    JobTables,
    IdempotencyTables,
    EventTables,
    FileShareTables,
    FileClientKeyTables,
    FileProofTables,
    FilevaultTables,
    FileWorkflowTables,
    FileKeepingTables,
    GossipTables,
    HubTables,
    LedgerTables,
    MailTables,
    NotificationTables,
    OutboxTables,
    PassvaultTables,
    PresenceTables,
    QuorumTables,
    RoomKeyTables,
    RoomTables,
    SearchTables,
    SessionSecretTables,
    SocialOwnTables,
    SocialTables,
    SocialMediaTables,
    PoolTables {}

export interface AccountTables {
  members: MemberRow;
  member_credentials: MemberCredentialRow;
  member_settings: MemberSettingsRow;
  member_profiles: MemberProfileRow;
  member_storage: MemberStorageRow;
  member_blocks: MemberBlockRow;
  member_mutes: MemberMuteRow;
  energy_accounts: EnergyAccountRow;
  sessions: SessionRow;
  replaced_tokens: ReplacedTokenRow;
  known_devices: KnownDeviceRow;
  used_direct_login_tokens: UsedDirectLoginTokenRow;
  backup_codes: BackupCodeRow;
}

/** The bytes that a member keeps, of all services together; a member without bytes has no row. */
export interface MemberStorageRow {
  member_id: string;
  bytes: number;
}

/** Primary key: member_id, blocked_id. */
export interface MemberBlockRow {
  member_id: string;
  /** the member who is blocked */
  blocked_id: string;
  created_at: number;
}

/** Primary key: member_id, muted_id. */
export interface MemberMuteRow {
  member_id: string;
  /** the member who is muted */
  muted_id: string;
  created_at: number;
  /** null: forever */
  ends_at: number | null;
}

export interface MemberRow {
  id: string;
  username: string;
  /** lower case, unique */
  username_key: string;
  email: string;
  /** lower case, unique */
  email_key: string;
  type: 'User' | 'Admin' | 'System';
  status: 'active' | 'suspended';
  /** since when it is so; null: not suspended */
  suspended_at: number | null;
  /** compressed, 33 bytes as hex */
  public_key: string;
  /** HMAC-SHA256 of the mnemonic under a key of the node, hex, unique */
  mnemonic_tag: string;
  /** the `email_key` that an administrator confirmed; it says nothing about another one */
  verified_email_key: string | null;
  created_at: number;
  /** id of the account's creator: the member, or the operator of the node */
  created_by: string;
  updated_at: number;
  /** when `type` was last set, and by whom */
  role_updated_at: number;
  role_updated_by: string;
  /** null until the first sign-in */
  last_login_at: number | null;
}

export interface MemberCredentialRow {
  member_id: string;
  /** checks a password, and says how the password was stretched; see shared/members/credentials.ts */
  verifier: Uint8Array;
  memory_kib: number;
  passes: number;
  lanes: number;
  argon2_salt: Uint8Array;
  /** salt 32 | iv 16 | tag 16 | ciphertext of the member's private key */
  wrapped_key: Uint8Array;
  pbkdf2_iterations: number;
  updated_at: number;
}

export interface MemberSettingsRow {
  member_id: string;
  timezone: string;
  site_language: string;
  currency: string;
  dark_mode: number;
  direct_challenge: number;
}

export interface MemberProfileRow {
  member_id: string;
  status: string;
  /** bytes as decimal text, because quotas are larger than a number can hold */
  storage_quota: string;
  storage_used: string;
  last_active: number;
  created_at: number;
  auto_replication: number;
  min_redundancy: number;
  /** JSON array of strings */
  preferred_regions: string;
}

export interface EnergyAccountRow {
  member_id: string;
  balance: number;
  earned: number;
  spent: number;
  reserved: number;
  reputation: number;
  created_at: number;
  updated_at: number;
}

export interface SessionRow {
  id: string;
  member_id: string;
  /** SHA-256 of the newest token's jti, hex, unique */
  jti_hash: string;
  /** the member's private key sealed under HKDF(jti); null for a sign-in without the private key */
  sealed_key: Uint8Array | null;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  user_agent: string;
}

/** A token that a refresh replaced; it stays valid for a grace period. Deleted with the session. */
export interface ReplacedTokenRow {
  /** as in `sessions`; primary key */
  jti_hash: string;
  session_id: string;
  /** the member's private key, sealed under this token */
  sealed_key: Uint8Array | null;
  /** the jti of the new token, sealed under HKDF(jti) of this token */
  sealed_next: Uint8Array;
  good_until: number;
}

/** A device on which a member signed in. Primary key: member_id, device. */
export interface KnownDeviceRow {
  member_id: string;
  /** SHA-256 of its device key, hex; see service/actor.ts */
  device: string;
  used_at: number;
}

export interface UsedDirectLoginTokenRow {
  /** 32 bytes as hex */
  nonce: string;
  expires_at: number;
}

export interface BackupCodeRow {
  id: string;
  member_id: string;
  /** HMAC-SHA256 of member and code under a key of the node, hex, unique; it finds the row without trying each one */
  tag: string;
  /** Argon2id verifier, salt and the copy of the private key that the code opens, encrypted to the node's key with ECIES */
  sealed: Uint8Array;
  created_at: number;
}

export interface JobTables {
  jobs: JobRow;
}

export interface JobRow {
  id: string;
  kind: string;
  /** JSON */
  payload: string;
  run_at: number;
  /** failures in a row, and the run that has the claim */
  attempts: number;
  /** how often in a row its process ended while it ran; an orderly stop counts for nothing */
  deaths: number;
  claimed_until: number | null;
  /** differs from all other claims, even if the row was replaced, or removed and made again */
  claim: string | null;
  /** JSON, see jobs/schedule.ts; null for a job that runs once */
  schedule: string | null;
  last_error: string | null;
  created_at: number;
}

export interface IdempotencyTables {
  idempotency_keys: IdempotencyKeyRow;
}

/** primary key: member_id, key_hash */
export interface IdempotencyKeyRow {
  member_id: string;
  /** SHA-256 of the header, hex */
  key_hash: string;
  /** HMAC-SHA256 of operation and input, hex */
  request_hash: string;
  /** sealed to the session that asked; null until the first try is answered */
  reply: Uint8Array | null;
  expires_at: number;
}
