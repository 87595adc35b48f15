export interface BotTokenTables {
  bot_tokens: BotTokenRow;
  bot_token_rooms: BotTokenRoomRow;
}

/** A token of a member for a program that reads, or reads and writes, in some of their rooms. */
export interface BotTokenRow {
  id: string;
  member_id: string;
  name: string;
  /** SHA-256, hex; unique */
  token_hash: string;
  created_at: number;
  /** null before the first use */
  last_used_at: number | null;
  /** null: never */
  expires_at: number | null;
}

/** A room that a token is for. It ends with the membership of the member. Primary key: bot_id, room_id. */
export interface BotTokenRoomRow {
  bot_id: string;
  kind: string;
  room_id: string;
  /** whose token it is */
  member_id: string;
  /** `write` includes `read` */
  may: 'read' | 'write';
}
