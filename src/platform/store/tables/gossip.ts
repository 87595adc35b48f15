export interface GossipTables {
  gossip_envelopes: GossipEnvelopeRow;
  gossip_addresses: GossipAddressesRow;
  gossip_unhandled: GossipUnhandledRow;
}

/** An envelope that is to be handled: this node ended before that, or receivers failed. */
export interface GossipUnhandledRow {
  id: string;
  /** how often its announcements were handed out */
  attempts: number;
  next_at: number;
  /** JSON: the ids of the announcements that are not handled; null: none is */
  announcements: string | null;
}

/** An envelope with announcements that was received or sent. This node doesn't process it again. */
export interface GossipEnvelopeRow {
  /** SHA-256 of the content, hex */
  id: string;
  /** by the author's clock */
  timestamp: number;
  /** kept until then for nodes that were away */
  kept_until: number;
  /** remembered until then */
  expires_at: number;
  /** signature and content: see platform/network/envelope.ts; null: not kept any more */
  envelope: Uint8Array | null;
}

/** The newest known addresses of a node, as the node signed them. */
export interface GossipAddressesRow {
  node_id: string;
  timestamp: number;
  envelope: Uint8Array;
}
