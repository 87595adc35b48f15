export interface SessionSecretTables {
  session_secrets: SessionSecretRow;
}

/** What a session opened beside the member's own key. Primary key: session_id, name, jti_hash. Gone with the session. */
export interface SessionSecretRow {
  session_id: string;
  /** whose secret it is and what it opens, such as `passvault/<vault id>` */
  name: string;
  /** of the token that it is sealed under: a refreshed one and the one before it each have a copy for a while */
  jti_hash: string;
  sealed: Uint8Array;
  /** when a request last used it */
  used_at: number;
}
