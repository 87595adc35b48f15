import { Problem } from '../../base/problem.ts';
import type { NodeDirectory, OutboxPort } from './outbox.ts';

/** The network between nodes, as domains see it. Peers are authenticated, but the content of their messages must still be checked. */
export interface GossipPort extends OutboxPort {
  /**
   * Sends an announcement to every connected, admitted node. Best effort: data that must arrive needs durable rows and `onConnect`.
   * @param payload JSON
   */
  announce(type: string, payload: unknown): Promise<void>;
  /**
   * Declares a topic and receives what other nodes announce on it, each once, with a checked signature. The receiver is given up to 16 at a
   * time, in the order in which they came, and never waits for that of another topic. When the receiver throws, the
   * announcement comes again: up to 16 times in all, from 5 seconds to an hour apart. It also comes again when the process ends before the
   * receiver is done, or within 5 seconds after that. So a receiver throws when this node failed, and not when it refuses what was said.
   * A node can neither announce nor receive on other topics. Register it before the network starts.
   */
  subscribe(type: string, receive: (announcement: Announcement) => Promise<void>, topic?: Topic): void;
  /**
   * Asks one node and waits for its answer. When the signal is aborted, the other node hears of it.
   * @throws Problem unavailable PEER_UNREACHABLE when the node can't be reached or doesn't answer in time; invalid PEER_REFUSED with
   *   the message of the node when it refuses; the reason of the signal when it is aborted
   */
  request(peer: PeerTarget, protocol: string, payload: unknown, options?: RequestOptions): Promise<unknown>;
  /** Answers questions of other nodes. The asker is told a thrown `Problem`, but no other error. Register it before the network starts. */
  respond(protocol: string, answer: Responder): void;
  /** Called whenever a connection with an admitted node is open, whichever side opened it. */
  onConnect(meet: (peer: Peer) => Promise<void>): void;
  /**
   * Adds a part to what two admitted nodes tell each other when they connect, with every ping (10 s) and in every round (30 s). Register
   * it before the network starts.
   */
  share(name: string, part: SharedPart): void;
  /** Called in every round (30 s), whichever nodes are connected. Register it before the network starts. */
  everyRound(work: () => Promise<void>): void;
  /**
   * Fetches bytes from an admitted node. The other node sends no more than fits into the window of the stream (512 KiB) ahead of what was
   * taken, so whoever takes slowly makes it wait. Every answer must be disposed of: that ends the stream on both sides.
   * @throws Problem unavailable PEER_UNREACHABLE, invalid PEER_REFUSED, forbidden NOT_ADMITTED, tooMany STREAMS_BUSY, tooLarge
   *   STREAM_TOO_LARGE, invalid STREAM_DIFFERS; the reason of the signal when it is aborted
   */
  fetchBytes(nodeId: string, protocol: string, question: unknown, options: FetchOptions): Promise<IncomingBytes>;
  /** Sends bytes to admitted nodes that ask for them. Register it before the network starts. */
  serveBytes(protocol: string, source: ByteSource): void;
  /** The peers that are connected now, and what is known of their connections. */
  peers(): readonly ConnectedPeer[];
  /** The node's own addresses to tell others, as multiaddrs with the peer id; empty before the network starts. */
  addresses(): readonly string[];
  /** Asks again which nodes are admitted: drops nodes that are no longer admitted, and connects to newly admitted ones. */
  admissionChanged(): Promise<void>;
}

/** What a topic allows. Announcements beyond that are not delivered, whoever passes them on. */
export interface Topic {
  /** who may announce, of the admitted nodes; default: all */
  readonly mayAnnounce?: (nodeId: string) => Promise<boolean>;
  /** announcements of one author: the number at once, and the number per second after that; default: 10,000 and 50 */
  readonly rate?: { readonly burst: number; readonly perSecond: number };
  /** how long announcements are kept for nodes that were away; default and most: a day */
  readonly retentionMs?: number;
  /** bytes of a payload as canonical JSON; default and most: 64 KiB */
  readonly maxBytes?: number;
}

export interface Announcement {
  /** SHA-256 of the signed envelope and the place in it, hex */
  readonly id: string;
  readonly type: string;
  /** the author, who signed it; another node may have passed it on */
  readonly nodeId: string;
  /** milliseconds since 1970 by the author's clock; at most 10 minutes from ours, or up to a day old if it came by reconciliation */
  readonly timestamp: number;
  readonly payload: unknown;
}

export interface Peer {
  readonly nodeId: string;
  /** the key that authenticated the connection: compressed secp256k1, 33 bytes as hex */
  readonly publicKey: string;
  readonly admitted: boolean;
  /** multiaddrs at which it can be reached */
  readonly addresses: readonly string[];
}

/** A peer and the state of its connection. What a ping tells is unknown until the first one was answered. */
export interface ConnectedPeer extends Peer {
  /** milliseconds since 1970 by the clock of this node */
  readonly connectedAt: number;
  /** false: it left the last ping without an answer; after three in a row, the connection is closed */
  readonly answers: boolean;
  /** of the last ping */
  readonly roundTripMs?: number;
  /** how far its clock is ahead of ours; negative: behind. It may be wrong by half the round trip. */
  readonly clockSkewMs?: number;
  /** whether its clock differs by more than a minute for sure */
  readonly wrongClock: boolean;
  /** the protocols in which it says that it answers requests */
  readonly protocols: readonly string[];
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

/** A node that is connected or whose addresses are known, or an address whose node is not known yet. */
export type PeerTarget = { readonly nodeId: string } | { readonly address: string };

export interface Responder {
  /** whether nodes that aren't admitted may ask; only the join protocol lets them */
  readonly strangers: boolean;
  /** maximum size of a question in bytes; default: 1 MiB */
  readonly maxBytes?: number;
  /** questions of one node that are read and answered at the same time; default: 16 */
  readonly atOnce?: number;
  /** @param signal is aborted when nobody waits for the answer any more: the asker gave up, or the connection was lost */
  answer(question: unknown, peer: Peer, signal: AbortSignal): Promise<unknown>;
}

/** Streams of a peer take turns: an interactive one, which somebody waits for, comes before all others. */
export type StreamPriority = 'interactive' | 'bulk';

export interface FetchOptions {
  /** the position at which an earlier stream of the same content ended; default: 0 */
  readonly offset?: number;
  /** default: bulk */
  readonly priority?: StreamPriority;
  /** refuses larger content before any of it is sent */
  readonly maxBytes: number;
  /** the hash that the content must have; a node that announces another one is refused before any of it is sent */
  readonly hash?: string;
  readonly signal?: AbortSignal;
}

/**
 * The pieces of the content, from the offset on. Taking one throws a Problem: unavailable PEER_UNREACHABLE when the stream ended
 * early or stands still (try again from where it ended), invalid STREAM_DIFFERS when the node sent more than it announced.
 */
export interface IncomingBytes extends AsyncIterable<Uint8Array>, AsyncDisposable {
  /** bytes of the whole content, not only from the offset on */
  readonly size: number;
  /** as the node announced it. Nobody has compared it with the content. */
  readonly hash: string;
}

/** Bytes that other nodes may fetch. */
export interface ByteSource {
  /** Says what the question asks for. The asker is told a thrown `Problem`, but no other error. */
  answer(question: unknown, peer: Peer): Promise<OutgoingBytes>;
}

export interface OutgoingBytes {
  /** bytes of the whole content */
  readonly size: number;
  /** of the whole content, by which the asker recognises and checks it; at most 256 characters */
  readonly hash: string;
  /** @param signal ends with the stream, for whatever reason. A piece must not change after it was given. */
  open(offset: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** A part of what two connected nodes regularly tell each other, such as the version of a list that both should have. */
export interface SharedPart {
  /** JSON of at most 4 KiB; undefined: nothing to tell */
  tell(peer: Peer): Promise<unknown>;
  /** receives what the peer told; it must be checked, and telling must not depend on it */
  hear(told: unknown, peer: Peer): Promise<void>;
}

/** Decides which nodes belong to the pool. The pool implements it for the network. */
export interface AdmissionPolicy {
  isAdmitted(nodeId: string): Promise<boolean>;
  /** whether the pool names a node, even if its admission has ended by the clock of this node; such a node is asked for its time */
  names?(nodeId: string): Promise<boolean>;
  /** admitted nodes other than this one, with the addresses last heard of */
  members(): Promise<readonly { readonly nodeId: string; readonly addresses: readonly string[] }[]>;
  /** when the next admission ends by itself, in milliseconds since 1970 by the clock of this node; undefined: none does */
  nextEnd?(): Promise<number | undefined>;
  /** the access list behind the policy; without one, no messages to single nodes are sent or received */
  readonly directory?: NodeDirectory;
}

const off = () =>
  Promise.reject(
    new Problem('unavailable', 'NETWORK_OFF', 'The network of this node is off. Turn it on with network.enabled.'),
  );

/** The port of a node without a network: it sends nothing, and it can't ask any node. */
export const noGossip: GossipPort = {
  send: off,
  receive: () => undefined,
  onOutcome: () => undefined,
  onLeaving: () => undefined,
  withdraw: () => Promise.resolve(false),
  directory: () => undefined,
  announce: () => Promise.resolve(),
  subscribe: () => undefined,
  request: () => Promise.reject(networkOff()),
  fetchBytes: () => Promise.reject(networkOff()),
  serveBytes: () => undefined,
  respond: () => undefined,
  onConnect: () => undefined,
  share: () => undefined,
  everyRound: () => undefined,
  peers: () => [],
  addresses: () => [],
  admissionChanged: () => Promise.resolve(),
};

function networkOff(): Problem {
  const words = 'The network of this node is off. Turn it on with network.enabled.';
  return new Problem('unavailable', 'PEER_UNREACHABLE', words);
}
