import { gossipsub, TopicValidatorResult, type GossipSub, type GossipSubComponents } from '@libp2p/gossipsub';
import { start, stop, type Connection, type PeerId, type Topology } from '@libp2p/interface';
import { sha256 } from '../../crypto/hash.ts';
import type { NetworkLimits } from './limits.ts';

const TOPIC = 'conclave/v1';
/** Bytes that may be queued for a peer before its connection is closed. A burst of 2,000 announcements has 3 MB. */
const MAX_BUFFERED = 16 * 1024 ** 2;
/** Sending pauses while a peer has more than this number of queued bytes. */
const BUFFERED = 256 * 1024;
const PAUSE_MS = 5;
/** A peer that delays sending for this time is too slow, and is dropped. */
const STUCK_MS = 5_000;
/** Envelopes, and about as many of their bytes, that are sent between two checks of the queued bytes. */
const STRETCH = 8;
const STRETCH_BYTES = 128 * 1024;

type Registrar = GossipSubComponents['registrar'];

export type Verdict = 'ignore' | 'reject' | 'load' | { readonly author: string };

export interface RouterOptions {
  readonly limits: NetworkLimits;
  readonly isAdmitted: (peer: PeerId) => Promise<boolean>;
  /** whether anything of this peer is read now; what is not is not remembered as seen either, so that it may come from others */
  readonly admit: (from: PeerId) => boolean;
  /** called when what was admitted was no use, or was: then it costs its peer nothing */
  readonly settle: (from: PeerId, good: boolean) => void;
  /** checks an announcement before it is passed on; the node id of its author: it is valid; `load`: no fault of the peer */
  readonly validate: (from: PeerId, bytes: Uint8Array) => Promise<Verdict>;
  /** the peers that need no copy of what this author says */
  readonly hearing: (author: string) => ReadonlySet<string>;
  readonly connections: () => readonly Connection[];
  readonly onRefusedStream: () => void;
  readonly onDeferred: () => void;
  readonly onSlow: (peer: PeerId) => void;
}

/** GossipSub between admitted nodes only. It is not told about other nodes, and they can't open its streams. */
export interface Router {
  start(): Promise<void>;
  stop(): Promise<void>;
  connect(peer: PeerId, connection: Connection): void;
  disconnect(peer: PeerId): void;
  /** whether streams of GossipSub were opened on a connection, by either side */
  carries(connection: Connection): boolean;
  /** sends an announcement soon, or leaves it to reconciliation if too many are waiting */
  publish(bytes: Uint8Array): void;
}

/**
 * The signatures of GossipSub are off: every announcement has the signature of its author, and libp2p would check secp256k1 in
 * JavaScript. Scores are off as well: all peers were admitted by name, and under load scores would disconnect peers that are only slow.
 */
export function createRouter(components: GossipSubComponents, options: RouterOptions): Router {
  const { limits } = options;
  const topologies: Topology[] = [];
  const carrying = new WeakSet<Connection>();
  const onStream = (connection: Connection): void => void carrying.add(connection);
  const registrar = admittedOnly(components.registrar, topologies, { ...options, onStream });
  const gossip: GossipSub = gossipsub({
    globalSignaturePolicy: 'StrictNoSign',
    // The id covers all bytes. If it left out the signature, a forged copy would block the real announcement as a duplicate.
    msgIdFn: ({ data }) => sha256(data),
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    batchPublish: true,
    emitSelf: false,
    floodPublish: true,
    fallbackToFloodsub: false,
    allowedTopics: [TOPIC],
    maxInboundDataLength: 2 * limits.envelopeBytes + 1024,
    maxOutboundBufferSize: MAX_BUFFERED,
    maxInboundStreams: 4,
    maxOutboundStreams: 4,
    // Anti-entropy restores lost announcements, so GossipSub needs only a small history.
    mcacheLength: 3,
    mcacheGossip: 2,
    // For small announcements, the IDONTWANT message costs more than the copy that it saves.
    idontwantMinDataSize: 8192,
    doPX: false,
    tagMeshPeers: false,
    scoreParams: { IPColocationFactorWeight: 0, behaviourPenaltyWeight: 0 },
  })({
    // The components are listed one by one, because libp2p's components object can't be enumerated.
    privateKey: components.privateKey,
    peerId: components.peerId,
    peerStore: components.peerStore,
    connectionManager: components.connectionManager,
    logger: components.logger,
    registrar,
  });

  /** of what was checked and is not yet passed on, by the bytes that GossipSub hands around */
  const authors = new WeakMap<Uint8Array, string>();
  passOn(gossip, ({ data }) => {
    const author = data === undefined ? undefined : authors.get(data);
    return author === undefined ? new Set() : options.hearing(author);
  });

  /** what was refused and is not settled, by its bytes */
  const refused = new WeakSet<Uint8Array>();
  beforeReading(gossip, refused, options);

  gossip.topicValidators.set(TOPIC, async (from, { data }) => {
    const verdict = await options.validate(from, data);
    if (verdict === 'reject' || verdict === 'ignore') refused.add(data);
    if (verdict === 'reject') return TopicValidatorResult.Reject;
    if (verdict === 'ignore' || verdict === 'load') return TopicValidatorResult.Ignore;
    authors.set(data, verdict.author);
    return TopicValidatorResult.Accept;
  });

  const queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let pumping: Promise<void> | undefined;
  let running = false;

  async function pump(): Promise<void> {
    const isOn = (): boolean => running;
    while (isOn() && queue.length > 0) {
      for (const bytes of stretch()) await gossip.publish(TOPIC, bytes).catch(() => undefined);
      // Other work, such as reading and answering, can run here.
      await new Promise((resolve) => setImmediate(resolve));
      await drained();
    }
    pumping = undefined;
  }

  function stretch(): Uint8Array[] {
    const next: Uint8Array[] = [];
    let bytes = 0;
    while (next.length < STRETCH && bytes < STRETCH_BYTES) {
      const envelope = queue.shift();
      if (envelope === undefined) break;
      next.push(envelope);
      bytes += envelope.length;
    }
    queuedBytes -= bytes;
    return next;
  }

  /** Waits until no peer has too many queued bytes. Peers that take too long are dropped. */
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
    connect(peer, connection) {
      carrying.add(connection);
      for (const topology of topologies) void topology.onConnect?.(peer, connection);
    },
    carries: (connection) => carrying.has(connection),
    disconnect: (peer) => topologies.forEach((topology) => void topology.onDisconnect?.(peer)),
    publish(bytes) {
      if (queue.length >= limits.waiting || queuedBytes >= limits.waitingBytes) {
        options.onDeferred();
        return;
      }
      queue.push(bytes);
      queuedBytes += bytes.length;
      pumping ??= pump();
    },
  };
}

interface Message {
  readonly data?: Uint8Array;
}

/** How GossipSub takes a message, before it computes its id. It is not public either, and where it is missing, all is read. */
interface Receiving {
  handleReceivedMessage?: (from: PeerId, message: Message) => Promise<void>;
}

/** Has a peer pay before anything of it is read, and gives that back for what was not refused, such as a message that was known. */
function beforeReading(gossip: GossipSub, refused: WeakSet<Uint8Array>, { admit, settle }: RouterOptions): void {
  const receiving = gossip as unknown as Receiving;
  const receive = receiving.handleReceivedMessage?.bind(gossip);
  if (receive === undefined) return;
  receiving.handleReceivedMessage = async (from, message) => {
    if (!admit(from)) return;
    await receive(from, message).finally(() =>
      settle(from, message.data !== undefined && !refused.delete(message.data)),
    );
  };
}

/** How GossipSub passes a checked message on. It is not public, and where it is missing, all peers of the mesh get a copy. */
interface Forwarding {
  forwardMessage?: (id: string, message: Message, from?: string, without?: ReadonlySet<string>) => void;
}

/** Leaves out the peers that need no copy. */
function passOn(gossip: GossipSub, without: (message: Message) => ReadonlySet<string>): void {
  const forwarding = gossip as unknown as Forwarding;
  const forward = forwarding.forwardMessage?.bind(gossip);
  if (forward === undefined) return;
  forwarding.forwardMessage = (id, message, from, more = new Set()) =>
    forward(id, message, from, new Set([...more, ...without(message)]));
}

interface RegistrarOptions extends RouterOptions {
  readonly onStream: (connection: Connection) => void;
}

/** The registrar that GossipSub sees. `connect` tells it about connections, and streams of nodes that are not admitted are refused. */
function admittedOnly(registrar: Registrar, topologies: Topology[], options: RegistrarOptions): Registrar {
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
            options.onStream(connection);
            await handler(stream, connection);
            return;
          }
          options.onRefusedStream();
          stream.abort(new Error('not admitted'));
        },
        more,
      ),
    register(_protocol, topology) {
      // GossipSub registers the same topology for every version of its protocol.
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
