export interface AppPasswordTables {
  app_passwords: AppPasswordRow;
}

/** A password of a member for one program. */
export interface AppPasswordRow {
  id: string;
  member_id: string;
  /** the beginning of the password, which is not secret; unique */
  handle: string;
  name: string;
  /** JSON array */
  scopes: string;
  /** compressed, 33 bytes as hex; the private key derives from the password */
  public_key: string;
  /** derived from the password, see crypto/app-password.ts */
  check_value: Uint8Array;
  created_at: number;
  /** null before the first use */
  last_used_at: number | null;
  /** null: never */
  expires_at: number | null;
}
