import type { Connection, PeerId } from '@libp2p/interface';
import { identityOf, type Identity } from './gatekeeper.ts';

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

export function createPeerTable(): PeerTable {
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
