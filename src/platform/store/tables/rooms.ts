export type RoomRole = 'owner' | 'admin' | 'moderator' | 'member';

export interface RoomTables {
  rooms: RoomRow;
  room_members: RoomMemberRow;
  room_bans: RoomBanRow;
  room_mutes: RoomMuteRow;
  room_invites: RoomInviteRow;
  room_log: RoomLogRow;
  room_hooks: RoomHookRow;
}

/** An address at which a program writes into a room, in the name of who made it. Primary key: id. */
export interface RoomHookRow {
  id: string;
  kind: string;
  room_id: string;
  name: string;
  /** SHA-256 of the token in the address, hex; unique */
  token_hash: string;
  created_by: string;
  created_at: number;
  /** the moment from which on all that may be written at once is available again */
  busy_until: number;
}

/** Primary key: kind, id. */
export interface RoomRow {
  /** what the room is to its service; an id is of one kind */
  kind: string;
  id: string;
  /** the room of the same kind whose bans count here too */
  parent_id: string | null;
  member_count: number;
  /** goes up with every change of the membership, which locks the row */
  changes: number;
  created_at: number;
}

/** Primary key: kind, room_id, member_id. */
export interface RoomMemberRow {
  kind: string;
  room_id: string;
  member_id: string;
  role: RoomRole;
  joined_at: number;
  /** the number of the room's topic after which the member hears events again; 0: all */
  heard_from: number;
}

/** Primary key: kind, room_id, member_id. An expired ban may still have its row. */
export interface RoomBanRow {
  kind: string;
  room_id: string;
  member_id: string;
  /** unique */
  id: string;
  /** null if they left what the room belongs to */
  banned_by: string | null;
  reason: string | null;
  banned_at: number;
  /** the first moment at which it is over; null: never */
  ends_at: number | null;
}

/** Primary key: kind, room_id, member_id. It stays when the member leaves, so that leaving does not end it. */
export interface RoomMuteRow {
  kind: string;
  room_id: string;
  member_id: string;
  muted_by: string | null;
  muted_at: number;
  /** the first moment at which it is over */
  ends_at: number;
}

export interface RoomInviteRow {
  id: string;
  kind: string;
  room_id: string;
  /** SHA-256 of the token, hex, unique */
  token_hash: string;
  created_by: string;
  created_at: number;
  /** null: no limit */
  max_uses: number | null;
  uses: number;
  /** the first moment at which it is over; null: never */
  expires_at: number | null;
}

/** What moderators did. Ids ascend with time. */
export interface RoomLogRow {
  id: string;
  kind: string;
  room_id: string;
  /** what the service of the room calls it */
  action: string;
  /** who did it; empty if they left what the room belongs to */
  actor_id: string;
  /** whom it concerns; null if it concerns the room */
  subject_id: string | null;
  reason: string | null;
  /** what of the room it is about, such as a post */
  item_id: string | null;
  /** when it is over */
  ends_at: number | null;
  created_at: number;
}
