/** Around the files themselves: approvals, notices of quotas, and canaries. */
export interface FileWorkflowTables {
  file_approval_policies: FileApprovalPolicyRow;
  file_approvals: FileApprovalRow;
  file_approval_votes: FileApprovalVoteRow;
  file_quota_notices: FileQuotaNoticeRow;
  file_canaries: FileCanaryRow;
  file_canary_files: FileCanaryFileRow;
  file_canary_steps: FileCanaryStepRow;
  duress_codes: DuressCodeRow;
}

/** How many approvals each operation in a container needs; 0: none. A container without a row needs none. */
export interface FileApprovalPolicyRow {
  container_id: string;
  destruction: number;
  external_share: number;
  bulk_delete: number;
  acl_change: number;
}

export type ApprovalOperation = 'destruction' | 'external_share' | 'bulk_delete' | 'acl_change';

export interface FileApprovalRow {
  id: string;
  container_id: string;
  /** the file or folder whose permissions decide who approves; the root folder for a container */
  node_id: string;
  operation: ApprovalOperation;
  target_type: 'file' | 'folder' | 'container';
  target_id: string;
  requester_id: string;
  required: number;
  reason: string | null;
  /** `pending` also once it is approved: whether approvals count is decided when somebody asks */
  status: 'pending' | 'rejected' | 'cancelled' | 'expired' | 'used';
  /** who rejected it */
  decided_by: string | null;
  /** why it was rejected */
  decision: string | null;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
  /** JSON: ids of the members who could approve when it was asked for; null: it is older than this column */
  approvers: string | null;
  /** for a move: the folder where it was when it was asked for; null: it is for no move */
  from_id: string | null;
  /** for a move: the folder to which it goes; null: it is for no move */
  to_id: string | null;
}

/** Primary key: approval_id, member_id. */
export interface FileApprovalVoteRow {
  approval_id: string;
  member_id: string;
  /** from which it was given; conditions of permissions are checked with it later */
  address: string;
  /** of the statement, hex; null: the session alone vouches for it */
  signature: string | null;
  created_at: number;
}

/** A notice that a quota is nearly used up was given. All columns are the primary key. */
export interface FileQuotaNoticeRow {
  /** id of a container or a member */
  subject: string;
  quota: number;
  percent: number;
}

export interface FileCanaryRow {
  id: string;
  owner_id: string;
  name: string;
  condition: 'ABSENCE' | 'PRESENCE' | 'DURESS';
  /** of absence; null for the other conditions */
  hours: number | null;
  /** before the end of them, when the owner is warned */
  warn_hours: number | null;
  /** JSON, see contract/filevault/canaries.ts */
  actions: string;
  /** of the owner when it was bound; conditions of permissions are checked with it */
  address: string;
  state: 'armed' | 'fired' | 'off';
  /** counts how often it was armed */
  firing: number;
  /** when the owner last checked in */
  seen_at: number;
  /** when the owner was told that it goes off soon; a later sign of life makes it void */
  warned_at: number | null;
  fired_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A file that nobody has a reason to open. Primary key: file_id, canary_id. */
export interface FileCanaryFileRow {
  file_id: string;
  canary_id: string;
}

/** One thing that a canary that fired has to do. Primary key: canary_id, firing, place. */
export interface FileCanaryStepRow {
  canary_id: string;
  firing: number;
  place: number;
  /** JSON */
  step: string;
  /** `done`, or the code of the refusal; null until then */
  outcome: string | null;
  done_at: number | null;
}

/** A second secret of a member, which says that somebody forces them. */
export interface DuressCodeRow {
  member_id: string;
  /** id of the canary that it fires */
  subject: string;
  salt: Uint8Array;
  verifier: Uint8Array;
  memory_kib: number;
  passes: number;
  lanes: number;
}
