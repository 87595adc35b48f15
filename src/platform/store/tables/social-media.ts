export interface SocialMediaTables {
  social_media: SocialMediaRow;
  social_media_blocks: SocialMediaBlockRow;
  social_post_media: SocialPostMediaRow;
}

/** A picture, video or sound. It is reserved while it arrives, waits to be attached, and then belongs to one post or profile. */
export interface SocialMediaRow {
  id: string;
  owner_id: string;
  /** bytes that count against the quota of the owner; while it arrives, those that were announced */
  size: number;
  /** when it is deleted; null: something has it */
  expires_at: number | null;
  created_at: number;
  /** null: its content is not here */
  mime_type: string | null;
  /** the key of the content, under a key of the node; null as `mime_type` */
  node_key: Uint8Array | null;
  /** pixels; 0 for sound */
  width: number;
  height: number;
  alt_text: string;
  sensitive: number;
}

/** A block of a content. Primary key: media_id, piece. */
export interface SocialMediaBlockRow {
  media_id: string;
  piece: number;
  /** SHA3-512 of the ciphertext, hex */
  hash: string;
  /** null: the ciphertext is in `sealed` */
  block_id: string | null;
  sealed: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
}

/** What a post has, as it was described when the post was written. Primary key: post_id, position. */
export interface SocialPostMediaRow {
  post_id: string;
  /** from 0 */
  position: number;
  media_id: string;
  alt_text: string;
  sensitive: number;
}
