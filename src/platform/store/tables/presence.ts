export interface PresenceTables {
  presence: PresenceRow;
  presence_processes: PresenceProcessRow;
  presence_sockets: PresenceSocketRow;
}

/** Of each member who ever had a socket, or set a status. Primary key: member_id. */
export interface PresenceRow {
  member_id: string;
  /** `online` or `idle`, as the member set it. Do Not Disturb is in the preferences for notifications */
  status: string;
  /** what others were last told */
  told: string;
}

/** A server with sockets. Primary key: id. */
export interface PresenceProcessRow {
  id: string;
  /** from then on it counts as dead; it puts that off as long as it lives */
  ends_at: number;
}

/** A member with sockets in a process. Primary key: process_id, member_id. */
export interface PresenceSocketRow {
  process_id: string;
  member_id: string;
  /** until then it counts after the last socket has closed; null: there are sockets */
  ends_at: number | null;
  /** when they last gave a sign of themselves, in any process; 0: nobody knows, it is a row of an earlier release */
  seen_at: number;
}
