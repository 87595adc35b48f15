import type { Connection, PeerId } from '@libp2p/interface';
import type { Clock } from '../../service/context.ts';
import type { Log } from '../../base/log.ts';
import type { AddressBook } from './address-book.ts';
import type { Admission } from './admission.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { connectionOf, createPeerTable, type Entry, type PeerTable } from './peer-table.ts';
import type { Peer } from '../../service/ports/network.ts';
import type { GossipMetrics, GossipCounter } from './metrics.ts';

export interface NeighbourOptions {
  readonly admission: Admission;
  readonly book: AddressBook;
  readonly gatekeeper: Gatekeeper;
  readonly metrics: GossipMetrics;
  readonly log: Log;
  readonly clock: Clock;
  /** whether streams of GossipSub were opened on a connection */
  readonly carriesGossip: (connection: Connection) => boolean;
  /** called when a connection with an admitted node is open */
  readonly onAdmitted: (entry: Entry, connection: Connection) => void;
  /** called when the last connection with a node is lost, or when its admission ended */
  readonly onLost: (entry: Entry) => void;
}

/**
 * Two nodes that dial each other at the same time have two. Limits of what one connection may ask would otherwise be multiplied by an
 * admitted node, and it could take the places of all others.
 */
const MOST_CONNECTIONS = 8;

/** The connected nodes, and which of them are admitted. */
export interface Neighbours {
  readonly table: PeerTable;
  opened(this: void, connection: Connection): void;
  closed(connection: Connection): void;
  isAdmitted(peer: PeerId): Promise<boolean>;
  /** the peer behind a connection; undefined: the connection is already closed */
  peerOf(this: void, connection: Connection): Promise<Peer | undefined>;
  describe(this: void, entry: Entry): Peer;
  admitted(): Entry[];
  drop(entry: Entry, why: GossipCounter): void;
  /** asks the policy again about every connected node: drops nodes whose admission ended, and accepts nodes that are admitted now */
  reconsider(): Promise<void>;
  /** closes the connections of strangers that have asked nothing for `idleMs` */
  dropIdle(idleMs: number): void;
}

export function createNeighbours(options: NeighbourOptions): Neighbours {
  const { admission, book, gatekeeper, metrics, log } = options;
  const table = createPeerTable(options.clock);

  async function ask(entry: Entry): Promise<boolean> {
    try {
      return await admission.isAdmitted(entry.nodeId);
    } catch (error) {
      log.error('checking the admission of a node failed', { error, nodeId: entry.nodeId });
      return entry.admitted;
    }
  }

  async function decide(entry: Entry, connection: Connection): Promise<boolean> {
    const admitted = await ask(entry);
    if (connection.status !== 'open' || table.byPeer(entry.peerId) !== entry) return false;
    if (admitted) {
      const fresh = !entry.admitted;
      entry.admitted = true;
      if (fresh) options.onAdmitted(entry, connection);
    } else if (connection.direction === 'inbound' && !gatekeeper.entered(connection)) {
      connection.abort(new Error('too many strangers'));
    }
    return admitted;
  }

  function drop(entry: Entry, why: GossipCounter): void {
    // It may be dropped for a second reason before it has gone.
    if (connectionOf(entry) !== undefined) metrics.add(why);
    for (const connection of entry.connections) connection.abort(new Error('dropped'));
  }

  async function reconsiderOne(entry: Entry): Promise<void> {
    const admitted = await ask(entry);
    if (admitted === entry.admitted) return;
    entry.decided = Promise.resolve(admitted);
    if (!admitted) {
      entry.admitted = false;
      log.info('connection closed: one of the two nodes is no longer admitted', { nodeId: entry.nodeId });
      options.onLost(entry);
      drop(entry, 'strangers_dropped');
      return;
    }
    const connection = connectionOf(entry);
    if (connection === undefined) return;
    entry.admitted = true;
    for (const each of entry.connections) gatekeeper.left(each);
    options.onAdmitted(entry, connection);
  }

  function describe({ nodeId, publicKey, admitted, connections }: Entry): Peer {
    const addresses = new Set(book.addressesOf(nodeId));
    // The remote address of an inbound connection is not an address on which the node listens.
    for (const { direction, remoteAddr } of connections)
      if (direction === 'outbound') addresses.add(remoteAddr.toString());
    return { nodeId, publicKey, admitted, addresses: [...addresses] };
  }

  return {
    table,
    describe,
    drop,
    opened(connection) {
      const entry = table.add(connection);
      if (entry === undefined) connection.abort(new Error('the key is no node’s'));
      else if (entry.connections.size > MOST_CONNECTIONS) {
        metrics.add('connections_refused');
        for (const each of entry.connections) each.abort(new Error('too many connections of one node'));
      } else entry.decided = decide(entry, connection);
    },
    closed(connection) {
      gatekeeper.left(connection);
      const entry = table.byPeer(connection.remotePeer);
      const last = table.remove(connection);
      if (last !== undefined) options.onLost(last);
      // GossipSub does not move its streams from this connection to another one, so all are closed and both sides connect again.
      else if (entry?.admitted && options.carriesGossip(connection))
        for (const other of entry.connections) other.abort(new Error('one of two connections was lost'));
    },
    isAdmitted: async (peer) => (await table.byPeer(peer)?.decided) ?? false,
    async peerOf(connection) {
      const entry = table.byPeer(connection.remotePeer);
      if (entry === undefined) return undefined;
      await entry.decided;
      entry.activeAt = performance.now();
      return connection.status === 'open' ? describe(entry) : undefined;
    },
    admitted: () => [...table.all()].filter((entry) => entry.admitted),
    async reconsider() {
      await Promise.all([...table.all()].map(reconsiderOne));
    },
    dropIdle(idleMs) {
      for (const entry of table.all()) {
        if (!entry.admitted && performance.now() - entry.activeAt > idleMs) drop(entry, 'strangers_dropped');
      }
    },
  };
}
