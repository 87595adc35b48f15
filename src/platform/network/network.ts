import type { Connection, PeerId } from '@libp2p/interface';
import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { openAddressBook } from './address-book.ts';
import { addressesFor, asMultiaddr } from '../../crypto/multiaddr.ts';
import { rememberAdmission } from './admission.ts';
import { isForged, openAnnouncements } from './announcements.ts';
import { closeUnlessAdmitted, createDials } from './dials.ts';
import { createDialer } from './dialer.ts';
import { createGatekeeper, identityOf } from './gatekeeper.ts';
import { makeLibp2p } from './libp2p-node.ts';
import { createLinks, LINKS } from './links.ts';
import { defaultLimits, type NetworkLimits } from './limits.ts';
import { createNeighbours, type Neighbours } from './neighbours.ts';
import { connectionOf, stateOf, type Entry } from './peer-table.ts';
import { nodeIdOfAddress } from '../../crypto/peer-id.ts';
import type { AdmissionPolicy, Peer, PeerTarget, Responder } from '../../service/ports/network.ts';
import { answerRequests, ask, isDead, isLost, unreachable } from './requests.ts';
import { answerReconciling, RECONCILE } from './reconcile.ts';
import { watchAdmissionEnds } from './admission-end.ts';
import { createPings, PING, pong } from './pings.ts';
import { createRouter, type Verdict } from './router.ts';
import { createByteStreams } from './streams/streams.ts';
import { createSharedParts, SHARED } from './shared-parts.ts';
import { ADDRESSES, createAntiEntropy } from './anti-entropy.ts';
import type { RunningPort, Switchboard } from './switchboard.ts';
import { tokenBuckets } from './token-buckets.ts';
import { openTopics } from './topics.ts';
import { provideNewerGlobals } from './newer-globals.ts';
import { createOutbox } from './outbox/outbox.ts';
import { OUTBOX } from './outbox/wire.ts';

export interface NetworkOptions {
  readonly switchboard: Switchboard;
  readonly admission: AdmissionPolicy;
  readonly limits?: NetworkLimits;
}

export interface RunningNetwork extends AsyncDisposable {
  /** the addresses on which it really listens */
  readonly addresses: readonly string[];
  /** compares with every connected node now, instead of waiting up to half a minute */
  reconcile(): Promise<void>;
  /** pings every connected node now, instead of waiting up to ten seconds */
  ping(): Promise<void>;
}

type Parts = Pick<Context, 'store' | 'db' | 'clock' | 'random' | 'log' | 'keys' | 'config' | 'afterCommit'>;

/**
 * Starts the network behind the switchboard's port. Domains must register their receivers and responders before.
 * @throws Problem unavailable PORT_IN_USE when it can't listen
 */
export async function startNetwork(
  parts: Parts,
  { switchboard, admission: policy, limits = defaultLimits }: NetworkOptions,
): Promise<RunningNetwork> {
  provideNewerGlobals();
  const { clock, config, db, keys, log, random } = parts;
  const { metrics, registrations } = switchboard;
  const admission = rememberAdmission(policy, clock);
  const announcements = await openAnnouncements(parts, limits, {
    admission,
    metrics,
    topics: openTopics(registrations.topics, limits),
    publish: (bytes) => router.publish(bytes),
  });
  const book = await openAddressBook(parts, admission);
  const gatekeeper = createGatekeeper(limits.strangers, { admission, clock, metrics });
  const { libp2p, components } = await makeLibp2p({
    identity: keys.identity,
    listen: config.network.listen,
    announce: config.network.announce,
    gater: gatekeeper.gater,
    handshakeMs: limits.handshakeMs,
  });

  const neighbours: Neighbours = createNeighbours({
    admission,
    book,
    gatekeeper,
    metrics,
    log,
    clock,
    carriesGossip: (connection) => router.carries(connection),
    onAdmitted(entry, connection) {
      log.info('node connected', { nodeId: entry.nodeId });
      router.connect(entry.peerId, connection);
      antiEntropy.greet(entry);
      outbox?.connected(entry.nodeId);
    },
    onLost(entry) {
      router.disconnect(entry.peerId);
      antiEntropy.forget(entry.nodeId);
      // libp2p would keep data of every node that connects, including nodes that are not admitted.
      void libp2p.peerStore.delete(entry.peerId).catch(() => undefined);
      dialer.lookAgain();
    },
  });

  const links = createLinks(neighbours);

  const invalid = tokenBuckets(limits.invalid);
  function penalise(nodeId: string): void {
    if (invalid.take(nodeId, clock.now())) return;
    const entry = neighbours.table.byNodeId(nodeId);
    if (entry === undefined) return;
    log.warn('a node sent too many invalid announcements; connection closed', { nodeId });
    neighbours.drop(entry, 'hostile_peers_dropped');
  }

  /** taken before an envelope is read, so that what is refused costs no more than this allows */
  const refused = tokenBuckets(limits.refused);

  async function validate(from: PeerId, bytes: Uint8Array): Promise<Verdict> {
    const checked = await announcements.check(bytes, 'gossip');
    if (typeof checked !== 'string') {
      void announcements.accept(checked);
      return { author: checked.nodeId };
    }
    // Its own clock may be wrong, or ours: what it says is not believed by its time, but the two nodes compare what they share.
    if (checked === 'refused_clock') antiEntropy.shareSoon(from);
    // Who passes on what is true is not to blame for what this node can't take.
    if (checked === 'refused_load') return 'load';
    if (!isForged(checked)) return 'ignore';
    penalise(identityOf(from)?.nodeId ?? '');
    return 'reject';
  }

  const router = createRouter(components, {
    limits,
    admit(from) {
      if (refused.take(from.toString(), clock.now())) return true;
      metrics.add('refused_unread');
      return false;
    },
    settle(from, good) {
      if (good) refused.give(from.toString(), clock.now());
    },
    validate,
    hearing: links.hearing,
    isAdmitted: async (peer) => await neighbours.isAdmitted(peer),
    connections: () => libp2p.getConnections(),
    onRefusedStream: () => metrics.add('requests_not_admitted'),
    onDeferred: () => metrics.add('deferred'),
    onSlow(peer) {
      const entry = neighbours.table.byPeer(peer);
      if (entry !== undefined) neighbours.drop(entry, 'slow_peers_dropped');
    },
  });

  const streams = createByteStreams({ limits, metrics, log, gatekeeper, peerOf: neighbours.peerOf });

  // Links come first: they are heard at once, and what domains hear may take long.
  const shared = createSharedParts(new Map([[LINKS, links.part], ...registrations.shared]));

  const antiEntropy = createAntiEntropy({
    parts,
    limits,
    metrics,
    announcements,
    book,
    neighbours,
    meetings: registrations.meetings,
    rounds: registrations.rounds,
    names: async (nodeId) => (await policy.names?.(nodeId)) ?? false,
    shared,
    pings: createPings({ limits, clock, log }),
    penalise,
    regraft(entry, connection) {
      router.disconnect(entry.peerId);
      router.connect(entry.peerId, connection);
    },
    news: () => dialer.lookAgain(),
  });

  const dial = createDials(libp2p, limits.answerMs);
  const dialer = createDialer({
    dial,
    limits,
    log,
    random,
    ownNodeId: keys.nodeId,
    configured: config.network.peers,
    admission,
    book,
    isConnected: (nodeId) => neighbours.table.byNodeId(nodeId) !== undefined,
  });

  /** @throws Problem unavailable PEER_UNREACHABLE */
  async function reach(peer: PeerTarget, cancel?: AbortSignal): Promise<Connection> {
    const address = 'address' in peer ? asMultiaddr(peer.address) : undefined;
    const nodeId = 'nodeId' in peer ? peer.nodeId : address === undefined ? undefined : nodeIdOfAddress(address);
    const entry = nodeId === undefined ? undefined : neighbours.table.byNodeId(nodeId);
    const standing = entry === undefined ? undefined : connectionOf(entry);
    if (standing !== undefined) return standing;
    const known =
      nodeId === undefined ? [] : ((await admission.members()).find((one) => one.nodeId === nodeId)?.addresses ?? []);
    const heard = nodeId === undefined ? [] : addressesFor(nodeId, [...book.addressesOf(nodeId), ...known]);
    let last: unknown;
    for (const one of address === undefined ? heard : [address]) {
      cancel?.throwIfAborted();
      try {
        const connection = await dial(one, cancel);
        if (nodeId === undefined || identityOf(connection.remotePeer)?.nodeId === nodeId) return connection;
        await closeUnlessAdmitted(connection, admission);
      } catch (error) {
        last = error;
      }
    }
    cancel?.throwIfAborted();
    throw unreachable(last);
  }

  /** Asks over a connection, and over a new one if that one turns out to be dead. */
  async function overLive<T>(
    peer: PeerTarget,
    use: (connection: Connection) => Promise<T>,
    cancel?: AbortSignal,
  ): Promise<T> {
    try {
      return await use(await reach(peer, cancel));
    } catch (error) {
      if (!(error instanceof Problem) || !isDead(error.cause)) throw error;
      return await use(await reach(peer, cancel));
    }
  }

  const connected = (entry: Entry) => ({ ...neighbours.describe(entry), ...stateOf(entry) });

  const port: RunningPort = {
    announce: async (type, payload) => await announcements.announce(type, payload),
    request: async (peer, protocol, payload, { signal } = {}) =>
      await overLive(peer, async (connection) => await ask(connection, protocol, payload, limits, signal), signal),
    fetchBytes: async (nodeId, protocol, question, options) =>
      await overLive(
        { nodeId },
        async (connection) => await streams.fetch(connection, protocol, question, options),
        options.signal,
      ),
    peers: () => [...neighbours.table.all()].map(connected),
    addresses: () => ownAddresses(),
    async admissionChanged() {
      await reconsider();
      await ends.arm();
    },
  };

  async function reconsider(): Promise<void> {
    admission.forget();
    antiEntropy.forgetRefusals();
    await neighbours.reconsider();
    dialer.lookAgain();
    outbox?.admissionChanged();
  }

  const ends = watchAdmissionEnds({ policy, clock, log, ended: reconsider });

  /** For questions that may come twice: what was lost together with its connection is asked again at once, over another one. */
  async function askAgain(peer: PeerTarget, protocol: string, payload: unknown): Promise<unknown> {
    try {
      return await port.request(peer, protocol, payload);
    } catch (error) {
      if (!isLost(error)) throw error;
      return await port.request(peer, protocol, payload);
    }
  }

  const { directory } = policy;
  const outbox =
    directory === undefined
      ? undefined
      : createOutbox(parts, {
          mailroom: switchboard.mailroom,
          directory,
          request: askAgain,
          reach: async (nodeId) => void (await reach({ nodeId })),
        });

  function ownAddresses(): string[] {
    return libp2p.getMultiaddrs().map(String);
  }

  const responders = new Map<string, Responder>([
    ...registrations.responders,
    [RECONCILE, { strangers: false, answer: async (asked) => await answerReconciling(asked, { announcements, db }) }],
    [SHARED, { strangers: false, answer: async (told, peer) => await exchange(told, peer) }],
    [ADDRESSES, { strangers: false, answer: async (told, { nodeId }) => await antiEntropy.exchange(told, nodeId) }],
    ...(outbox === undefined ? [] : ([[OUTBOX, outbox.responder]] as const)),
  ]);

  const protocols = [...responders.keys(), ...registrations.sources.keys(), PING];
  // Whoever believes that the admission of another node has ended may have a wrong clock, and must be able to find that out.
  responders.set(PING, {
    strangers: true,
    maxBytes: 1_024,
    answer: async (_asked, { admitted }) => await Promise.resolve(pong(clock, admitted ? protocols : [])),
  });

  /** What this node shares is told first: hearing may take long, and may change it. */
  async function exchange(told: unknown, peer: Peer): Promise<unknown> {
    const ours = await shared.tell(peer);
    await shared.hear(told, peer);
    return ours;
  }

  async function stop(): Promise<void> {
    switchboard.connect(undefined);
    ends.stop();
    await outbox?.stop();
    await dialer.stop();
    await antiEntropy.stop();
    await router.stop();
    await libp2p.stop();
    await announcements.idle();
  }

  libp2p.addEventListener('connection:open', ({ detail }) => neighbours.opened(detail));
  libp2p.addEventListener('connection:close', ({ detail }) => neighbours.closed(detail));
  await answerRequests(libp2p, responders, { limits, metrics, log, gatekeeper, peerOf: neighbours.peerOf });
  await streams.serve(libp2p, registrations.sources);
  // This comes before any node can connect, because GossipSub would otherwise miss the first connections.
  await router.start();
  try {
    await libp2p.start();
  } catch (cause) {
    await stop();
    const where = config.network.listen.join(', ');
    throw new Problem('unavailable', 'PORT_IN_USE', `The network cannot listen on ${where}.`, { cause });
  }
  book.tellOwn(ownAddresses());
  switchboard.connect(port);
  antiEntropy.start();
  dialer.start();
  await ends.arm();
  await outbox?.start();
  log.info('network listening', { addresses: ownAddresses() });
  return {
    addresses: ownAddresses(),
    reconcile: async () => await antiEntropy.reconcileAll(),
    ping: async () => await antiEntropy.pingAll(),
    [Symbol.asyncDispose]: stop,
  };
}
