export interface ConversationDraftTables {
  conversation_drafts: ConversationDraftRow;
  conversation_scheduled: ConversationScheduledRow;
}

/** What a member has written in a conversation and not sent. Primary key: conversation_id, member_id. */
export interface ConversationDraftRow {
  conversation_id: string;
  member_id: string;
  /** of the key that it is sealed under; null: the client encrypted it, and it is sealed under a key of the node */
  epoch: number | null;
  sealed: Uint8Array;
  /** what counts to the storage of the member */
  bytes: number;
  updated_at: number;
}

/** A message that is sent later, or was refused then. */
export interface ConversationScheduledRow {
  id: string;
  member_id: string;
  conversation_id: string;
  /** of the message; null: the node makes it of the id */
  client_id: string | null;
  /** of the key that it is sealed under */
  epoch: number;
  /** null: erased, because the member is not in the conversation any more */
  sealed: Uint8Array | null;
  /** what counts to the storage of the member */
  bytes: number;
  send_at: number;
  /** code of the error that it was refused with; null: it waits */
  failed: string | null;
  created_at: number;
}
