import { gossipsub, TopicValidatorResult, type GossipSub, type GossipSubComponents } from '@libp2p/gossipsub';
import { start, stop, type Connection, type PeerId, type Topology } from '@libp2p/interface';
import { sha256 } from '../crypto/hash.ts';
import type { NetworkLimits } from './limits.ts';

const TOPIC = 'conclave/v1';
/** Bytes that may be queued for a peer before its connection is closed. A burst of 2,000 announcements has 3 MB. */
const MAX_BUFFERED = 16 * 1024 ** 2;
/** Above it, sending pauses. */
const BUFFERED = 256 * 1024;
const PAUSE_MS = 5;
/** A peer that lets others wait so long is too slow. */
const STUCK_MS = 5_000;
/** Announcements between two looks at what is buffered. */
const STRETCH = 8;

type Registrar = GossipSubComponents['registrar'];

export interface RouterOptions {
  readonly limits: NetworkLimits;
  readonly isAdmitted: (peer: PeerId) => Promise<boolean>;
  /** before anything is passed on */
  readonly validate: (from: PeerId, bytes: Uint8Array) => Promise<'accept' | 'ignore' | 'reject'>;
  readonly connections: () => readonly Connection[];
  readonly onRefusedStream: () => void;
  readonly onDeferred: () => void;
  readonly onSlow: (peer: PeerId) => void;
}

/** GossipSub between admitted nodes alone: it hears of no others, and no others can open its streams. */
export interface Router {
  start(): Promise<void>;
  stop(): Promise<void>;
  connect(peer: PeerId, connection: Connection): void;
  disconnect(peer: PeerId): void;
  /** sends it soon, or leaves it to reconciliation when too many wait */
  publish(bytes: Uint8Array): void;
}

/**
 * Signatures of GossipSub's own are off: every announcement carries its author's, and libp2p checks secp256k1 in JavaScript.
 * Scores are off as well: who is here was admitted by name, and under load they would cut off who is merely slow.
 */
export function createRouter(components: GossipSubComponents, options: RouterOptions): Router {
  const { limits } = options;
  const topologies: Topology[] = [];
  const registrar = admittedOnly(components.registrar, topologies, options);
  const gossip: GossipSub = gossipsub({
    globalSignaturePolicy: 'StrictNoSign',
    // Of all bytes: if it left the signature out, a forgery would keep the real announcement away.
    msgIdFn: ({ data }) => sha256(data),
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    batchPublish: true,
    emitSelf: false,
    floodPublish: true,
    fallbackToFloodsub: false,
    allowedTopics: [TOPIC],
    maxInboundDataLength: 4 * limits.announcementBytes + 1024,
    maxOutboundBufferSize: MAX_BUFFERED,
    maxInboundStreams: 4,
    maxOutboundStreams: 4,
    // Anti-entropy restores lost announcements, so GossipSub needs only a small history.
    mcacheLength: 3,
    mcacheGossip: 2,
    // For small ones the notice costs more than the copy that it spares.
    idontwantMinDataSize: 8192,
    doPX: false,
    tagMeshPeers: false,
    scoreParams: { IPColocationFactorWeight: 0, behaviourPenaltyWeight: 0 },
  })({
    // One by one: libp2p's components refuse to be enumerated.
    privateKey: components.privateKey,
    peerId: components.peerId,
    peerStore: components.peerStore,
    connectionManager: components.connectionManager,
    logger: components.logger,
    registrar,
  });

  gossip.topicValidators.set(TOPIC, async (from, { data }) => {
    const verdict = await options.validate(from, data);
    return verdictOf[verdict];
  });

  const queue: Uint8Array[] = [];
  let pumping: Promise<void> | undefined;
  let running = false;

  async function pump(): Promise<void> {
    for (let next = queue.splice(0, STRETCH); next.length > 0; next = running ? queue.splice(0, STRETCH) : []) {
      for (const bytes of next) await gossip.publish(TOPIC, bytes).catch(() => undefined);
      // Reading and answering come in between.
      await new Promise((resolve) => setImmediate(resolve));
      await drained();
    }
  }

  /** Until every peer has read enough; who takes too long is dropped. */
  async function drained(): Promise<void> {
    const since = performance.now();
    for (;;) {
      const full = options.connections().filter((connection) => bufferedBy(connection) > BUFFERED);
      if (full.length === 0 || !running) return;
      if (performance.now() - since > STUCK_MS) {
        for (const connection of full) options.onSlow(connection.remotePeer);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  return {
    async start() {
      running = true;
      await start(gossip);
      gossip.subscribe(TOPIC);
    },
    async stop() {
      running = false;
      await pumping;
      // GossipSub does not clear its next heartbeat, which would delay the end of the process by a second.
      const { status } = gossip as { status?: { heartbeatTimeout?: NodeJS.Timeout } };
      await stop(gossip);
      clearTimeout(status?.heartbeatTimeout);
    },
    connect: (peer, connection) => topologies.forEach((topology) => void topology.onConnect?.(peer, connection)),
    disconnect: (peer) => topologies.forEach((topology) => void topology.onDisconnect?.(peer)),
    publish(bytes) {
      if (queue.length >= limits.waiting) {
        options.onDeferred();
        return;
      }
      queue.push(bytes);
      pumping ??= pump().finally(() => (pumping = undefined));
    },
  };
}

const verdictOf = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
} as const;

/** What GossipSub sees of libp2p: connections are told to it by `connect`, and streams of others never reach it. */
function admittedOnly(registrar: Registrar, topologies: Topology[], options: RouterOptions): Registrar {
  return {
    getProtocols: () => registrar.getProtocols(),
    getHandler: (protocol) => registrar.getHandler(protocol),
    getMiddleware: (protocol) => registrar.getMiddleware(protocol),
    getTopologies: () => topologies,
    use: (protocol, middleware) => registrar.use(protocol, middleware),
    unuse: (protocol) => registrar.unuse(protocol),
    unhandle: async (protocol, more) => await registrar.unhandle(protocol, more),
    handle: async (protocol, handler, more) =>
      await registrar.handle(
        protocol,
        async (stream, connection) => {
          if (await options.isAdmitted(connection.remotePeer)) {
            await handler(stream, connection);
            return;
          }
          options.onRefusedStream();
          stream.abort(new Error('not admitted'));
        },
        more,
      ),
    register(_protocol, topology) {
      // It is the same one for every version of the protocol.
      if (!topologies.includes(topology)) topologies.push(topology);
      return Promise.resolve(String(topologies.indexOf(topology)));
    },
    unregister: () => void topologies.splice(0),
  };
}

function bufferedBy(connection: Connection): number {
  let most = 0;
  for (const stream of connection.streams) {
    if (stream.protocol.startsWith('/meshsub/')) most = Math.max(most, stream.writeBufferLength);
  }
  return most;
}
