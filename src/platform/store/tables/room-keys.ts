export interface RoomKeyTables {
  room_key_heads: RoomKeyHeadRow;
  room_key_epochs: RoomKeyEpochRow;
  room_key_members: RoomKeyMemberRow;
  room_key_wraps: RoomKeyWrapRow;
}

/** The newest epoch of a room. Who changes the epoch changes this row, and who uses the epoch holds it. Primary key: kind, room_id. */
export interface RoomKeyHeadRow {
  /** what the room is, such as `hub` */
  kind: string;
  room_id: string;
  epoch: number;
  /** of the newest epoch */
  key_id: string;
  /** 1: nothing is sealed under it any more, because somebody has the key who is not a member, or the store was restored; the next epoch comes first */
  closed: number;
}

/** A key that the members of a room shared from one change of the members to the next. Primary key: kind, room_id, epoch. */
export interface RoomKeyEpochRow {
  kind: string;
  room_id: string;
  /** from 1, without gaps */
  epoch: number;
  /** 32 hex digits, unlike those of any other epoch */
  key_id: string;
  reason: string;
  /** SHA-256 of the list of members, hex */
  members_digest: string;
  /** 1: members who are added later get this key too, if the room shows its history then */
  is_open: number;
  /** the key, sealed under the wrap key of the node; empty if a member made it, and the node does not have it */
  for_node: Uint8Array;
  created_at: number;
  /** the member who made the key and signed it; null: the node made it */
  author_id: string | null;
  /** ids of those for whom such a key was made, in their order, with a comma between two; the signature is over them */
  member_ids: string | null;
  signature: Uint8Array | null;
}

/** A member to whom the newest key is encrypted. Primary key: kind, room_id, member_id. */
export interface RoomKeyMemberRow {
  kind: string;
  room_id: string;
  member_id: string;
  /** the first epoch whose key is shown to the member; older ones may be left from an earlier time in the room */
  since: number;
}

/** The key of an epoch, encrypted to a member. Primary key: kind, room_id, epoch, member_id. */
export interface RoomKeyWrapRow {
  kind: string;
  room_id: string;
  epoch: number;
  member_id: string;
  wrapped: Uint8Array;
}
