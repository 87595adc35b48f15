export interface OutboxTables {
  outbox_messages: OutboxMessageRow;
  outbox_queues: OutboxQueueRow;
  outbox_outcomes: OutboxOutcomeRow;
  inbox_messages: InboxMessageRow;
}

/** A message for another node that has no outcome yet. */
export interface OutboxMessageRow {
  /** sorts the messages of a queue in the order of sending; see platform/network/outbox/occupancy.ts */
  place: string;
  /** the receiver */
  node_id: string;
  channel: string;
  /** of the sender; unique in its queue */
  id: string;
  /** JSON */
  body: string;
  /** SHA-256 of the body, hex */
  body_hash: string;
  /** bytes of the body */
  size: number;
  created_at: number;
  expires_at: number;
  /** when it first left this node; null: the receiver can't have it */
  sent_at: number | null;
  /** how often it failed by itself, and when it is tried again; both 0: it never did */
  tries: number;
  next_at: number;
}

/** Why the messages of a channel for a node could not be sent, and when they are tried again. Primary key: node_id, channel. */
export interface OutboxQueueRow {
  node_id: string;
  channel: string;
  attempts: number;
  next_at: number;
  code: string;
  reason: string;
}

/** What became of a message. Primary key: node_id, channel, id. */
export interface OutboxOutcomeRow {
  node_id: string;
  channel: string;
  id: string;
  /** JSON */
  outcome: string;
  /** signed by the receiver, see platform/network/outbox/receipt.ts; null if this node decided alone */
  receipt: string | null;
  settled_at: number;
}

/** A message of another node that was handled, refused or too late. Primary key: node_id, channel, id. */
export interface InboxMessageRow {
  /** the sender */
  node_id: string;
  channel: string;
  id: string;
  body_hash: string;
  /** signed by this node, see platform/network/outbox/receipt.ts */
  receipt: string;
  /** the sender may ask again until then */
  keep_until: number;
}
