/** What the network counts for the metrics: a closed set, so that no peer can invent a name. */
export const tallied = {
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
  questions_answered: 'Questions of other nodes that were answered.',
  questions_refused: 'Questions of other nodes that were refused by their responder.',
  questions_malformed: 'Questions of other nodes that were oversized, late or no JSON.',
  questions_limited: 'Questions of strangers that were refused because there were too many.',
  questions_not_admitted: 'Streams of strangers that were refused because only admitted nodes may open them.',
} as const;

export type Tallied = keyof typeof tallied;

export interface Tally {
  add(what: Tallied, count?: number): void;
  read(what: Tallied): number;
}

export function createTally(): Tally {
  const counts = new Map<Tallied, number>();
  return {
    add: (what, count = 1) => void counts.set(what, (counts.get(what) ?? 0) + count),
    read: (what) => counts.get(what) ?? 0,
  };
}
