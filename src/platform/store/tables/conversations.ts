import type { ReportState } from '../../../contract/social/reports.ts';

export interface ConversationTables {
  conversations: ConversationRow;
  conversation_places: ConversationPlaceRow;
  conversation_messages: ConversationMessageRow;
  conversation_edits: ConversationEditRow;
  conversation_reactions: ConversationReactionRow;
  conversation_pins: ConversationPinRow;
  conversation_mentions: ConversationMentionRow;
  conversation_thread_places: ConversationThreadPlaceRow;
  conversation_reports: ConversationReportRow;
}

/** A room of the kind `conversation`, whose members are in `room_members`. */
export interface ConversationRow {
  id: string;
  /** `direct`, `group` or `channel` in chat; `social_direct` or `social_group` in the social network */
  type: string;
  /** `server`: the node has the keys too; `client`: only members have them */
  mode: string;
  /** of a conversation of two: type and both ids, see `pairOf`; unique. Null for others */
  pair: string | null;
  /** null for a conversation of two */
  name: string | null;
  /** of a channel: its name as it is compared; unique */
  name_key: string | null;
  topic: string | null;
  /** of a channel */
  visibility: string | null;
  /** 1: members who join later see what was said before */
  history_visible: number;
  /** where that begins: after this message, since when it has been so without a break */
  open_from: number;
  /** the key of its searches, sealed under the key of that epoch; null until something is said */
  search_epoch: number | null;
  search_key: Uint8Array | null;
  created_by: string;
  created_at: number;
  /** 1: counts to those that `created_by` may begin in an hour, whoever is in it by now */
  begun_with_strangers: number;
  /** number of the last message; 0: none */
  last_seq: number;
  /** when the last message was sent, or the conversation made */
  active_at: number;
  /** when members were last told that something was said */
  told_at: number;
  /** members have been notified up to this message */
  noticed_seq: number;
  /** of a conversation of two that one of them asked for: `pending`, `accepted` or `declined` */
  request: string | null;
  /** of the social network */
  picture_id: string | null;
  /** when its members or settings last changed; 0: since it was made they have not */
  changed_at: number;
  /** how long members below moderators wait from one message to the next; 0: they do not */
  slow_seconds: number;
  /** how long messages are kept; null: as long as the conversation */
  retention_ms: number | null;
  /** messages up to this one were erased because their time was over */
  erased_seq: number;
}

/** What one member has in a conversation. It stays when they leave. Primary key: conversation_id, member_id. */
export interface ConversationPlaceRow {
  conversation_id: string;
  member_id: string;
  /** messages up to this number were sent before the member joined */
  joined_seq: number;
  /** the last message before the member left; null: has not left */
  left_seq: number | null;
  /** the member has removed messages up to this number from their own view */
  cleared_seq: number;
  read_seq: number;
  read_at: number | null;
  /** level of notification; null: the default */
  level: string | null;
  muted_until: number | null;
  pinned: number;
  archived: number;
  /** the moment from which on all that the member may send at once is available again; see `take-turn.ts` */
  busy_until: number;
  /** when the member last sent a message; 0: never */
  spoke_at: number;
  /** 1: the member does not see it in lists, until something is said after `cleared_seq` */
  closed: number;
}

/** Primary key: conversation_id, seq. `id` is unique, and so is `client_id` for one sender in one conversation. */
export interface ConversationMessageRow {
  conversation_id: string;
  seq: number;
  id: string;
  sender_id: string;
  client_id: string | null;
  reply_to_id: string | null;
  /** the message that began what it answers in; null for one that answers nothing, and in the social network */
  thread_id: string | null;
  /** of one that answers nothing: how many answers it has, also to its answers, and the number of the last one */
  reply_count: number;
  last_reply_seq: number | null;
  /** the message that it repeats */
  forwarded_from: string | null;
  /** the webhook or the bot token by which a program wrote it, in the name of the sender */
  hook_id: string | null;
  epoch: number;
  /** 0, and one more with each edit */
  revision: number;
  /** under the key of the epoch; null: deleted */
  sealed: Uint8Array | null;
  /** of the sender, in a conversation that only members can read */
  signature: Uint8Array | null;
  /** its files in such a conversation, sealed under the key of the node: what the node itself encrypted of them; null: none */
  files: Uint8Array | null;
  /** what counts to the storage of the sender, earlier texts included */
  bytes: number;
  created_at: number;
  edited_at: number | null;
  deleted_at: number | null;
}

/** An earlier text of a message. Primary key: message_id, revision. */
export interface ConversationEditRow {
  message_id: string;
  revision: number;
  epoch: number;
  sealed: Uint8Array;
  /** as that of the message */
  signature: Uint8Array | null;
  /** when it was replaced */
  edited_at: number;
}

/** Primary key: message_id, emoji, member_id. */
export interface ConversationReactionRow {
  message_id: string;
  emoji: string;
  member_id: string;
  /** unique; ids ascend with time */
  id: string;
}

/** Primary key: conversation_id, message_id. */
export interface ConversationPinRow {
  conversation_id: string;
  message_id: string;
  pinned_by: string;
  pinned_at: number;
}

/** Who is named in a message. Primary key: conversation_id, member_id, seq. */
export interface ConversationMentionRow {
  conversation_id: string;
  /** empty: everybody */
  member_id: string;
  seq: number;
}

/** What one member has in a thread of a conversation that they are in, and nobody else. Primary key: thread_id, member_id. */
export interface ConversationThreadPlaceRow {
  /** the message that began it, which may have no answers */
  thread_id: string;
  member_id: string;
  conversation_id: string;
  /** read up to this message, whatever they have read of the conversation */
  read_seq: number;
  /** 1: is notified of answers; 0: wants not to be; null: has not chosen, and nothing chose for them */
  following: number | null;
}

/** A reported message, as it was then. */
export interface ConversationReportRow {
  id: string;
  message_id: string;
  conversation_id: string;
  sender_id: string;
  epoch: number;
  revision: number;
  /** as the message was sealed */
  sealed: Uint8Array;
  reporter_id: string;
  reason: string;
  status: ReportState;
  created_at: number;
  reviewed_by: string | null;
  reviewed_at: number | null;
}
