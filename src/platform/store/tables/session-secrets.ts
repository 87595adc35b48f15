export interface SessionSecretTables {
  session_secrets: SessionSecretRow;
}

/** A secret that a session opened beside the member's own key. Deleted with the session. Primary key: session_id, name, jti_hash. */
export interface SessionSecretRow {
  session_id: string;
  /** the owner of the secret and the thing that it opens, such as `passvault/<vault id>` */
  name: string;
  /** hash of the token that seals this copy; after a refresh, the new and the old token each have a copy for a while */
  jti_hash: string;
  sealed: Uint8Array;
  /** time of the last request that used it */
  used_at: number;
}
