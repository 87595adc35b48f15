export interface EventTables {
  event_topics: EventTopicRow;
  events: EventRow;
  socket_tickets: SocketTicketRow;
}

/** The newest number of a topic. The row with the empty name holds the number before the first of every new topic. */
export interface EventTopicRow {
  /** such as `vaults:<member id>`; primary key */
  topic: string;
  /** number of its newest event; events may be purged, but a number is never used again */
  last_seq: number;
  /** when the newest event was published */
  touched_at: number;
}

/** Events that can be replayed. Primary key: topic, seq. */
export interface EventRow {
  topic: string;
  /** one more than the number of the event before it in the same topic */
  seq: number;
  /** an event name of the contract, or `drop` */
  name: string;
  /** JSON */
  data: string;
  created_at: number;
  /** JSON: ids of members who are not told, though they hear the topic; null: none */
  withheld: string | null;
}

export interface SocketTicketRow {
  /** SHA-256, hex */
  ticket_hash: string;
  session_id: string;
  expires_at: number;
}
