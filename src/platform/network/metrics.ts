/** The counters of the network for the metrics. The set is closed, so that no peer can add a name. */
export const gossipCounters = {
  announced: 'Announcements of this node.',
  received: 'Announcements of other nodes that were new and valid.',
  deferred: 'Announcements of this node that were left to reconciliation because too many were queued.',
  reconciled: 'Announcements that arrived by reconciliation, not by gossip.',
  handling_failed: 'Announcements of other nodes that this node failed to handle. It tries again later.',
  given_up: 'Announcements of other nodes that this node gave up after it failed to handle them too often.',
  refused_size: 'Announcements refused because they were too large.',
  refused_format: 'Announcements refused because of their format.',
  refused_key: 'Announcements refused because the key is not valid, or the node id does not match it.',
  refused_signature: 'Announcements refused because of their signature.',
  refused_clock: 'Announcements refused because their time differs too much from ours.',
  refused_author: 'Announcements refused because their author is not admitted.',
  refused_type: 'Announcements refused because their type is unknown.',
  refused_topic: 'Announcements refused because their topic has another size or other authors.',
  refused_rate: 'Announcements refused because their author sends too many.',
  refused_unread: 'Envelopes thrown away unread because the node that passed them on sent too many that were refused.',
  refused_load: 'Announcements refused because too many were queued for writing.',
  refused_replay: 'Announcements refused because they were received before.',
  connections_refused:
    'Connections refused because too many nodes that are not admitted, or one node too often, were connected.',
  strangers_dropped:
    'Connections closed because the node is not admitted and was idle, removed, or used a protocol that it may not.',
  slow_peers_dropped: 'Connections closed because the node did not read or answer in time.',
  hostile_peers_dropped: 'Connections closed because the node sent too many invalid announcements.',
  requests_answered: 'Requests of other nodes that were answered.',
  requests_refused: 'Requests of other nodes that were refused.',
  requests_cancelled: 'Requests of other nodes that they gave up before the answer.',
  requests_malformed: 'Requests of other nodes that were too large, too late or not JSON.',
  requests_limited: 'Requests of other nodes that were refused because there were too many.',
  streams_sent: 'Streams of bytes that were sent to the end.',
  streams_fetched: 'Streams of bytes that were fetched to the end.',
  streams_refused: 'Streams of bytes that were refused, because of the question or because there were too many.',
  streams_broken: 'Streams of bytes that ended before their end, on either side.',
  stream_bytes_sent: 'Bytes that were sent in streams.',
  stream_bytes_fetched: 'Bytes that were fetched in streams.',
  requests_not_admitted: 'Streams refused because only admitted nodes may open them.',
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
