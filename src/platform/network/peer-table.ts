import type { Connection, PeerId } from '@libp2p/interface';
import type { Clock } from '../../service/context.ts';
import { identityOf, type Identity } from './gatekeeper.ts';
import type { ConnectedPeer, Peer } from '../../service/ports/network.ts';

/** A node with at least one open connection. */
export interface Entry extends Identity {
  readonly peerId: PeerId;
  readonly connections: Set<Connection>;
  admitted: boolean;
  /** the answer of the admission policy */
  decided: Promise<boolean>;
  /** the time of its last question or new connection, by performance.now() */
  activeAt: number;
  /** it refused the last comparison, because it did not admit this node */
  refusing: boolean;
  /** comparisons in a row that it did not answer */
  silent: number;
  /** pings in a row that it did not answer */
  unanswered: number;
  /** by the clock of this node */
  readonly connectedAt: number;
  /** what the last ping told */
  pinged: Pinged | undefined;
  /** the authors whose announcements reach it without us (see links.ts) */
  hears: ReadonlySet<string>;
  /** when it last shared because of an announcement from another time, by performance.now() */
  sharedAt: number;
}

export interface Pinged {
  readonly roundTripMs: number;
  /** how far its clock is ahead of ours */
  readonly clockSkewMs: number;
  readonly protocols: readonly string[];
}

/** Clocks of nodes may differ by this much before anybody is told. */
const WRONG_CLOCK_MS = 60_000;

/** Whether the clocks differ too much for sure: the time may have been read at any moment of the round trip. */
export function isWrongClock({ clockSkewMs, roundTripMs }: Pinged): boolean {
  return Math.abs(clockSkewMs) - roundTripMs / 2 > WRONG_CLOCK_MS;
}

/** The state of a connection, beside what is known of the peer. */
export function stateOf({ connectedAt, pinged, unanswered }: Entry): Omit<ConnectedPeer, keyof Peer> {
  const state = { connectedAt, answers: unanswered === 0 };
  if (pinged === undefined) return { ...state, wrongClock: false, protocols: [] };
  return { ...state, wrongClock: isWrongClock(pinged), ...pinged };
}

export interface PeerTable {
  readonly all: () => Iterable<Entry>;
  byNodeId(nodeId: string): Entry | undefined;
  byPeer(peer: PeerId): Entry | undefined;
  /** undefined: the peer's key is not the key of a node */
  add(connection: Connection): Entry | undefined;
  /** returns the entry if this was its last connection */
  remove(connection: Connection): Entry | undefined;
}

export function createPeerTable(clock: Clock): PeerTable {
  const byPeerId = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  return {
    all: () => byPeerId.values(),
    byNodeId: (nodeId) => byId.get(nodeId),
    byPeer: (peer) => byPeerId.get(peer.toString()),
    add(connection) {
      const { remotePeer: peerId } = connection;
      const key = peerId.toString();
      let entry = byPeerId.get(key);
      if (entry === undefined) {
        const identity = identityOf(peerId);
        if (identity === undefined) return undefined;
        const decided = Promise.resolve(false);
        entry = {
          ...identity,
          peerId,
          connections: new Set(),
          admitted: false,
          decided,
          activeAt: 0,
          refusing: false,
          silent: 0,
          unanswered: 0,
          connectedAt: clock.now(),
          pinged: undefined,
          hears: new Set(),
          sharedAt: Number.NEGATIVE_INFINITY,
        };
        byPeerId.set(key, entry);
        byId.set(identity.nodeId, entry);
      }
      entry.connections.add(connection);
      entry.activeAt = performance.now();
      return entry;
    },
    remove(connection) {
      const entry = byPeerId.get(connection.remotePeer.toString());
      if (entry?.connections.delete(connection) !== true || entry.connections.size > 0) return undefined;
      byPeerId.delete(entry.peerId.toString());
      byId.delete(entry.nodeId);
      return entry;
    },
  };
}

/** The connection on which new streams are opened. */
export function connectionOf(entry: Entry): Connection | undefined {
  for (const connection of entry.connections) if (connection.status === 'open') return connection;
  return undefined;
}
