import type { Connection, ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import { toHex } from '../crypto/bytes.ts';
import type { Clock } from '../context.ts';
import { nodeIdOf } from '../crypto/public-key.ts';
import type { Admission } from './admission.ts';
import type { StrangerLimits } from './limits.ts';
import type { GossipMetrics } from './metrics.ts';
import { tokenBuckets } from './token-buckets.ts';

/** Who a connection was authenticated as. */
export interface Identity {
  readonly nodeId: string;
  /** 33 bytes, hex */
  readonly publicKey: string;
}

/** Keeps strangers few, and lets those who belong to the pool past them. */
export interface Gatekeeper {
  readonly gater: ConnectionGater;
  /** a connection of a stranger stands; false: there are too many */
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

  /** Without waiting: what arrives while libp2p waits for a gater has nobody to take it. */
  function refusesInbound(peer: PeerId, maConn: MultiaddrConnection): boolean {
    const identity = identityOf(peer);
    if (identity === undefined) return refused();
    const known = admission.lastAnswer(identity.nodeId);
    if (known === true) return false;
    // So that one who belongs here, but whom nobody asked about yet, gets past the limits of strangers the next time.
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

/** undefined: its key is not of the curve that nodes have */
export function identityOf(peer: PeerId): Identity | undefined {
  const { publicKey } = peer;
  if (publicKey?.type !== 'secp256k1') return undefined;
  return { nodeId: nodeIdOf(publicKey.raw), publicKey: toHex(publicKey.raw) };
}

/** Addresses of version 6 count by their /64: whoever has one has all of it. */
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
