export interface GossipTables {
  gossip_seen: GossipSeenRow;
  gossip_recent: GossipRecentRow;
  gossip_addresses: GossipAddressesRow;
}

/** An announcement that was received or sent: it is never received again. */
export interface GossipSeenRow {
  /** SHA-256 of what was signed, hex */
  id: string;
  expires_at: number;
}

/** Announcements for nodes that were away. */
export interface GossipRecentRow {
  id: string;
  /** who signed it */
  node_id: string;
  /** by the author's clock */
  timestamp: number;
  /** signature and content: see gossip/envelope.ts */
  envelope: Uint8Array;
}

/** Where a node is reached, in its own signed words; the newest that was heard. */
export interface GossipAddressesRow {
  node_id: string;
  timestamp: number;
  envelope: Uint8Array;
}
