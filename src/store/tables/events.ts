export interface EventTables {
  event_topics: EventTopicRow;
  events: EventRow;
  socket_tickets: SocketTicketRow;
}

/** How far a topic has come. The row with the empty name says where topics begin that have none. */
export interface EventTopicRow {
  /** such as `vaults:<member id>`; primary key */
  topic: string;
  /** of its newest event; events may be purged, and the number never comes again */
  last_seq: number;
  /** when the newest event was published */
  touched_at: number;
}

/** Events that can be replayed. Primary key: topic, seq. */
export interface EventRow {
  topic: string;
  /** one more than that of the event before it in the same topic */
  seq: number;
  /** of the contract, or `drop` */
  name: string;
  /** JSON */
  data: string;
  created_at: number;
}

export interface SocketTicketRow {
  /** SHA-256, hex */
  ticket_hash: string;
  session_id: string;
  expires_at: number;
}
