export interface ConversationAttachmentTables {
  conversation_attachments: ConversationAttachmentRow;
  conversation_attachment_blocks: ConversationAttachmentBlockRow;
  conversation_message_attachments: MessageAttachmentRow;
}

/** A file for messages. It is reserved while it arrives, waits to be attached, and then stays as long as a message refers to it. */
export interface ConversationAttachmentRow {
  id: string;
  /** who uploaded it; empty once it is attached, because messages have it from then on */
  owner_id: string;
  /** bytes of the file, which count against the quota of the owner until it is attached; while it arrives, those that were announced */
  size: number;
  /** when it is deleted; null: messages refer to it */
  expires_at: number | null;
  created_at: number;
  /** name, type and key, under a key of the node; null while it arrives, and from then on that messages have them */
  sealed: Uint8Array | null;
  /** messages that refer to it. The statement that changes it locks it, so that of two the last one is noticed */
  message_count: number;
}

/** A block of a file. Primary key: attachment_id, piece. */
export interface ConversationAttachmentBlockRow {
  attachment_id: string;
  piece: number;
  /** SHA3-512 of the ciphertext, hex */
  hash: string;
  /** null: the ciphertext is in `sealed` */
  block_id: string | null;
  sealed: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
}

/** A file that a message has. Primary key: message_id, attachment_id. */
export interface MessageAttachmentRow {
  message_id: string;
  attachment_id: string;
  /** whose quota has its bytes */
  member_id: string;
  bytes: number;
}
