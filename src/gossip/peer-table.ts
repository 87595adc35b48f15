import type { Connection, PeerId } from '@libp2p/interface';
import { identityOf, type Identity } from './gatekeeper.ts';

/** A node with which at least one connection stands. */
export interface Entry extends Identity {
  readonly peerId: PeerId;
  readonly connections: Set<Connection>;
  admitted: boolean;
  /** the answer of the policy */
  decided: Promise<boolean>;
  /** when it last asked something, or came; by performance.now() */
  activeAt: number;
  /** it would not compare: it doesn't admit this node, or didn't when it was asked last */
  refusing: boolean;
  /** comparisons in a row that it did not answer */
  silent: number;
}

export interface PeerTable {
  readonly all: () => Iterable<Entry>;
  byNodeId(nodeId: string): Entry | undefined;
  byPeer(peer: PeerId): Entry | undefined;
  /** undefined: a peer whose key is no node's */
  add(connection: Connection): Entry | undefined;
  /** the entry, when this was its last connection */
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

/** The one to open streams on. */
export function connectionOf(entry: Entry): Connection | undefined {
  for (const connection of entry.connections) if (connection.status === 'open') return connection;
  return undefined;
}
