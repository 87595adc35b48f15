import type { Connection, ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import { toHex } from '../../crypto/bytes.ts';
import type { Clock } from '../../service/context.ts';
import { nodeIdOf } from '../../crypto/public-key.ts';
import type { Admission } from './admission.ts';
import type { StrangerLimits } from './limits.ts';
import type { GossipMetrics } from './metrics.ts';
import { tokenBuckets } from './token-buckets.ts';

/** The authenticated identity behind a connection. */
export interface Identity {
  readonly nodeId: string;
  /** 33 bytes, hex */
  readonly publicKey: string;
}

/** Limits the connections and questions of strangers. Admitted nodes are exempt from these limits, but not from the one on handshakes. */
export interface Gatekeeper {
  readonly gater: ConnectionGater;
  /** counts a new connection of a stranger; false: there are too many */
  entered(connection: Connection): boolean;
  left(connection: Connection): void;
  mayAsk(connection: Connection, nodeId: string): boolean;
}

export function createGatekeeper(
  limits: StrangerLimits,
  { admission, clock, metrics }: { admission: Admission; clock: Clock; metrics: GossipMetrics },
): Gatekeeper {
  const handshakes = tokenBuckets(limits.handshakesPerAddress);
  const connecting = tokenBuckets(limits.connecting);
  const askingAddress = tokenBuckets(limits.askingPerAddress);
  const askingPeer = tokenBuckets(limits.askingPerPeer);
  const inside = new Map<string, string>();

  function isFull(host: string): boolean {
    if (inside.size >= limits.connections) return true;
    let here = 0;
    for (const other of inside.values()) if (other === host) here += 1;
    return here >= limits.connectionsPerAddress;
  }

  function refused(): true {
    metrics.add('connections_refused');
    return true;
  }

  /** This must be synchronous: while libp2p waits for a gater, no code reads the data that arrives. */
  function refusesInbound(peer: PeerId, maConn: MultiaddrConnection): boolean {
    const identity = identityOf(peer);
    if (identity === undefined) return refused();
    const known = admission.lastAnswer(identity.nodeId);
    if (known === true) return false;
    // The policy is asked in the background, so that the limits for strangers do not apply to an admitted node at its next attempt.
    if (known === undefined) void admission.isAdmitted(identity.nodeId).catch(() => undefined);
    const host = hostOf(maConn.remoteAddr);
    return isFull(host) || !connecting.take(host, clock.now()) ? refused() : false;
  }

  return {
    gater: {
      denyInboundConnection: (maConn) => (handshakes.take(hostOf(maConn.remoteAddr), clock.now()) ? false : refused()),
      denyInboundEncryptedConnection: refusesInbound,
      denyOutboundEncryptedConnection: (peer) => identityOf(peer) === undefined,
    },
    entered(connection) {
      const host = hostOf(connection.remoteAddr);
      if (isFull(host)) {
        refused();
        return false;
      }
      inside.set(connection.id, host);
      return true;
    },
    left: (connection) => void inside.delete(connection.id),
    mayAsk: (connection, nodeId) =>
      askingAddress.take(hostOf(connection.remoteAddr), clock.now()) && askingPeer.take(nodeId, clock.now()),
  };
}

/** The identity of a peer; undefined if its key is not a secp256k1 key, which all nodes have. */
export function identityOf(peer: PeerId): Identity | undefined {
  const { publicKey } = peer;
  if (publicKey?.type !== 'secp256k1') return undefined;
  return { nodeId: nodeIdOf(publicKey.raw), publicKey: toHex(publicKey.raw) };
}

/** The unit for counting addresses. IPv6 addresses are counted by their /64, because one host usually controls a whole /64. */
function hostOf(address: Multiaddr): string {
  const [first] = address.getComponents();
  const host = first?.value ?? '';
  if (first?.name !== 'ip6' || host.startsWith('::ffff:')) return host.replace(/^::ffff:/, '');
  const [head = '', tail = ''] = host.split('::');
  const left = head.split(':').filter(Boolean);
  const right = host.includes('::') ? tail.split(':').filter(Boolean) : [];
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups.slice(0, 4).join(':');
}
