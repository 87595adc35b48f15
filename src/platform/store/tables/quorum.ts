export interface QuorumTables {
  quorum_members: QuorumMemberRow;
  quorum_unverified_links: QuorumUnverifiedLinkRow;
  quorum_epochs: QuorumEpochRow;
  quorum_state: QuorumStateRow;
  quorum_documents: QuorumDocumentRow;
  quorum_shares: QuorumShareRow;
  quorum_sessions: QuorumSessionRow;
  quorum_contributions: QuorumContributionRow;
  quorum_reshares: QuorumReshareRow;
  quorum_proposals: QuorumProposalRow;
  quorum_votes: QuorumVoteRow;
  quorum_permits: QuorumPermitRow;
  quorum_aliases: QuorumAliasRow;
  quorum_bans: QuorumBanRow;
  quorum_audit: QuorumAuditRow;
  quorum_verified_rows: QuorumVerifiedRowRow;
  quorum_verified: QuorumVerifiedRow;
}

/** A member of the quorum. The id is made from the public key, as that of an account is. */
export interface QuorumMemberRow {
  id: string;
  /** compressed, hex */
  public_key: string;
  name: string;
  email: string | null;
  role: string | null;
  /** the account of this member on the node; null until it is linked */
  account_id: string | null;
  /** 1 while a member, 0 after the removal */
  active: number;
  created_at: number;
  updated_at: number;
}

/**
 * A link of before version 58, when an e-mail address that nobody had verified was enough. It counts until the member is linked anew, and is a
 * warning alone, so the audit trail does not cover it.
 */
export interface QuorumUnverifiedLinkRow {
  member_id: string;
  account_id: string;
}

export type QuorumMode = 'bootstrap' | 'quorum' | 'transition_in_progress';

/** The membership from one change to the next. */
export interface QuorumEpochRow {
  /** from 1 */
  number: number;
  mode: QuorumMode;
  threshold: number;
  /** JSON array of the ids of the active members, sorted */
  member_ids: string;
  /** JSON array of ids, sorted; empty if there is no inner quorum */
  inner_member_ids: string;
  previous: number | null;
  /** the proposal that made the change; null if an administrator made it */
  proposal_id: string | null;
  created_at: number;
}

/** One row with id 1; no row before the first member. */
export interface QuorumStateRow {
  id: number;
  /** number of the current epoch */
  epoch: number;
}

export interface QuorumDocumentRow {
  id: string;
  kind: 'document' | 'identity';
  /** the account that sealed it */
  creator_id: string;
  /** canonical JSON that is authenticated with the content; see crypto/quorum.ts */
  header: string;
  /** number of the current shares, from 1; each re-sharing counts on */
  generation: number;
  /** epoch of the current shares */
  epoch: number;
  shares_required: number;
  /** the ciphertext */
  block_id: string;
  /** bytes of the ciphertext */
  size: number;
  created_at: number;
  reshared_at: number | null;
}

/** A member's share of a document. Primary key: document_id, generation, member_id. A generation above the document's waits for confirmations. */
export interface QuorumShareRow {
  document_id: string;
  generation: number;
  member_id: string;
  /** ECIES to the member */
  encrypted_share: Uint8Array;
  /** 32 bytes */
  salt: Uint8Array;
  /** SHA-256 of salt and share, hex */
  commitment: string;
  /** the member's signature that the share is readable, hex; null while it is not confirmed */
  confirmation: string | null;
  confirmed_at: number | null;
}

/** Somebody collects shares, encrypted to a key of their client. */
export interface QuorumSessionRow {
  id: string;
  document_id: string;
  generation: number;
  purpose: 'unseal' | 'reshare' | 'rekey';
  /** the account that asked */
  requester_id: string;
  /** compressed, hex */
  ephemeral_public_key: string;
  reason: string;
  /** the proposal that allowed it; null if the right is the requester's own */
  proposal_id: string | null;
  status: 'open' | 'completed' | 'cancelled' | 'expired';
  created_at: number;
  expires_at: number;
  ended_at: number | null;
}

/** Primary key: session_id, member_id. */
export interface QuorumContributionRow {
  session_id: string;
  member_id: string;
  /** ECIES to the ephemeral key of the session; null once the session has ended */
  encrypted_share: Uint8Array | null;
  /** SHA-256 of the encrypted share, hex */
  share_hash: string;
  /** the member's, hex */
  signature: string;
  created_at: number;
}

export interface QuorumReshareRow {
  id: string;
  document_id: string;
  /** the session that collects the old shares */
  session_id: string;
  requester_id: string;
  /** 1 if the content gets a new key as well */
  rekey: number;
  from_generation: number;
  to_generation: number;
  /** epoch of the new shares */
  epoch: number;
  /** JSON array of the ids of the new holders, sorted */
  member_ids: string;
  shares_required: number;
  /** of a new key: header, ciphertext and its size */
  header: string | null;
  new_block_id: string | null;
  size: number | null;
  status: 'collecting' | 'confirming' | 'done' | 'cancelled' | 'expired';
  /** why it ended, if nobody cancelled it */
  reason: string | null;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
}

export interface QuorumProposalRow {
  id: string;
  description: string;
  action_type: string;
  /** canonical JSON */
  action_payload: string;
  /** SHA-256 of type and payload, hex; see crypto/quorum.ts */
  action_hash: string;
  /** member of the quorum */
  proposer_id: string;
  status: 'pending' | 'approved' | 'executed' | 'failed' | 'rejected' | 'expired' | 'cancelled';
  /** why it failed or was cancelled by the rules */
  reason: string | null;
  required_threshold: number;
  /** its members are the electorate */
  epoch: number;
  attachment_cbl_id: string | null;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  /** when an approved action that waits is carried out */
  executes_at: number | null;
  executed_at: number | null;
}

/** Primary key: proposal_id, voter_id. */
export interface QuorumVoteRow {
  proposal_id: string;
  /** member of the quorum */
  voter_id: string;
  decision: 'approve' | 'reject' | 'abstain';
  comment: string | null;
  /** hex */
  signature: string;
  /** whose key signed: the member's of the quorum, or that of the linked account */
  signed_by: 'member' | 'account';
  created_at: number;
}

/** What an executed proposal allows once. */
export interface QuorumPermitRow {
  proposal_id: string;
  action_type: string;
  /** id of what may be done something to */
  target: string;
  /** JSON array of the accounts that may use it; empty: the service decides */
  holder_ids: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface QuorumAliasRow {
  name: string;
  /** the sealed identity */
  document_id: string;
  proposal_id: string;
  registered_at: number;
}

/** Nobody with this key, account or e-mail address can be a member of the quorum. */
export interface QuorumBanRow {
  member_id: string;
  account_id: string | null;
  email: string | null;
  reason: string;
  proposal_id: string;
  created_at: number;
}

/** What happened. Each row is committed to by an entry of the ledger, which has the digests of the rows that changed. */
export interface QuorumAuditRow {
  id: string;
  ledger_entry: string;
  action: string;
  /** the account, or the operator */
  actor_id: string;
  /** kind and id of what it is about: `proposal/<id>` */
  subject: string;
  /** canonical JSON */
  details: string;
  /** canonical JSON: place of each changed row and its digest, null if it was removed; see audit/row-digests.ts */
  changes: string;
  created_at: number;
}

/** The digest that the verified part of the ledger has for a row. */
export interface QuorumVerifiedRowRow {
  place: string;
  digest: string;
}

/** How far the audit trail is verified. One row with id 1. */
export interface QuorumVerifiedRow {
  id: number;
  /** entries of the ledger */
  size: number;
  /** of them those of the quorum */
  records: number;
  /** hashes of the subtrees of the ledger of that size, 32 bytes each */
  frontier: Uint8Array;
  /** HMAC of all this and of the verified rows, under a key of the node */
  seal: Uint8Array;
  verified_at: number;
}
