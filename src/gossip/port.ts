import { Problem } from '../problem.ts';

/** Node to node, as domains see it. What is behind it authenticates peers; what a peer says is still somebody else's word. */
export interface GossipPort {
  /**
   * Tells every admitted node that is connected. Best effort: what must arrive rests on durable rows, and on `onConnect`.
   * @param payload JSON
   */
  announce(type: string, payload: unknown): Promise<void>;
  /** Announcements of one type by other nodes, each once, with the signature of its author checked. Registered before the network starts. */
  subscribe(type: string, receive: (announcement: Announcement) => Promise<void>): void;
  /**
   * Asks one node and waits for its answer.
   * @throws Problem unavailable PEER_UNREACHABLE when it can't be reached or doesn't answer in time; invalid PEER_REFUSED with its
   *   words when it refuses
   */
  request(peer: PeerTarget, protocol: string, payload: unknown): Promise<unknown>;
  /** Answers what other nodes ask. A `Problem` thrown is told to the asker, anything else is not. Registered before the network starts. */
  respond(protocol: string, answer: Responder): void;
  /** Called whenever a connection with an admitted node stands, by either side. */
  onConnect(meet: (peer: Peer) => Promise<void>): void;
  /** Who is connected now. */
  peers(): readonly Peer[];
  /** Own addresses, as multiaddrs with the peer id, to tell others; none before the network starts. */
  addresses(): readonly string[];
  /** Looks at who is admitted again: drops those who aren't any more, and connects to those who are now. */
  admissionChanged(): Promise<void>;
}

export interface Announcement {
  /** SHA-256 of the signed envelope, hex */
  readonly id: string;
  readonly type: string;
  /** who signed it, which need not be who passed it on */
  readonly nodeId: string;
  /** milliseconds since 1970, by the author's clock; at most 10 minutes from ours, or as much as a day ago when it was caught up on */
  readonly timestamp: number;
  readonly payload: unknown;
}

export interface Peer {
  readonly nodeId: string;
  /** compressed secp256k1, 33 bytes as hex; what the connection was authenticated with */
  readonly publicKey: string;
  readonly admitted: boolean;
  /** multiaddrs under which it can be reached */
  readonly addresses: readonly string[];
}

/** A node that is connected or whose addresses are known, or an address with nobody's name yet. */
export type PeerTarget = { readonly nodeId: string } | { readonly address: string };

export interface Responder {
  /** whether nodes that aren't admitted may ask; only the join protocol lets them */
  readonly strangers: boolean;
  /** bytes of a question; 1 MiB unless given */
  readonly maxBytes?: number;
  answer(question: unknown, peer: Peer): Promise<unknown>;
}

/** Says who belongs to the pool: the network asks it, the pool answers. */
export interface AdmissionPolicy {
  isAdmitted(nodeId: string): Promise<boolean>;
  /** admitted nodes other than this one, with the addresses last heard of */
  members(): Promise<readonly { readonly nodeId: string; readonly addresses: readonly string[] }[]>;
}

/** A node without a network: it has nobody to tell, and nobody to ask. */
export const noGossip: GossipPort = {
  announce: () => Promise.resolve(),
  subscribe: () => undefined,
  request: () =>
    Promise.reject(
      new Problem(
        'unavailable',
        'PEER_UNREACHABLE',
        'The network of this node is off. Turn it on with network.enabled.',
      ),
    ),
  respond: () => undefined,
  onConnect: () => undefined,
  peers: () => [],
  addresses: () => [],
  admissionChanged: () => Promise.resolve(),
};
