/** What the network counts for the metrics: a closed set, so that no peer can invent a name. */
export const gossipCounters = {
  announced: 'Announcements of this node.',
  received: 'Announcements of other nodes that were new and valid.',
  deferred: 'Announcements of this node that were left to reconciliation because too many waited.',
  reconciled: 'Announcements that came by reconciliation rather than by gossip.',
  refused_size: 'Announcements refused because they were too large.',
  refused_format: 'Announcements refused because they were no envelope.',
  refused_key: 'Announcements refused because the node id is not that of the key, or the key is none.',
  refused_signature: 'Announcements refused because of their signature.',
  refused_clock: 'Announcements refused because of their time.',
  refused_author: 'Announcements refused because their author is not admitted.',
  refused_type: 'Announcements refused because nobody here knows their type.',
  refused_rate: 'Announcements refused because their author sends too many.',
  refused_load: 'Announcements refused because too many waited to be written.',
  refused_replay: 'Announcements that were seen before.',
  connections_refused: 'Connections of strangers that were refused.',
  strangers_dropped: 'Connections dropped: strangers that were idle, revoked, or spoke what they may not.',
  slow_peers_dropped: 'Connections dropped because the peer did not read or answer in time.',
  hostile_peers_dropped: 'Connections dropped because the peer passed on too many invalid announcements.',
  requests_answered: 'Requests of other nodes that were answered.',
  requests_refused: 'Requests of other nodes that were refused by their responder.',
  requests_malformed: 'Requests of other nodes that were oversized, late or no JSON.',
  requests_limited: 'Requests of strangers that were refused because there were too many.',
  requests_not_admitted: 'Streams of strangers that were refused because only admitted nodes may open them.',
} as const;

export type GossipCounter = keyof typeof gossipCounters;

export interface GossipMetrics {
  add(what: GossipCounter, count?: number): void;
  read(what: GossipCounter): number;
}

export function createGossipMetrics(): GossipMetrics {
  const counts = new Map<GossipCounter, number>();
  return {
    add: (what, count = 1) => void counts.set(what, (counts.get(what) ?? 0) + count),
    read: (what) => counts.get(what) ?? 0,
  };
}
