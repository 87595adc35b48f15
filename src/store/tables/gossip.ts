export interface GossipTables {
  gossip_seen: GossipSeenRow;
  gossip_recent: GossipRecentRow;
  gossip_addresses: GossipAddressesRow;
}

/** An announcement that was received or sent. This node doesn't process it again. */
export interface GossipSeenRow {
  /** SHA-256 of the signed bytes, hex */
  id: string;
  expires_at: number;
}

/** Announcements that are kept for nodes that were away. */
export interface GossipRecentRow {
  id: string;
  /** id of the node that signed it */
  node_id: string;
  /** by the author's clock */
  timestamp: number;
  /** signature and content: see gossip/envelope.ts */
  envelope: Uint8Array;
}

/** The newest known addresses of a node, as the node signed them. */
export interface GossipAddressesRow {
  node_id: string;
  timestamp: number;
  envelope: Uint8Array;
}
