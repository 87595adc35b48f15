import {
  noGossip,
  type ByteSource,
  type GossipPort,
  type Peer,
  type Responder,
  type SharedPart,
  type Topic,
} from '../../service/ports/network.ts';
import { createMailroom, type Mailroom } from './outbox/mailroom.ts';
import type { NodeDirectory } from '../../service/ports/outbox.ts';
import type { OutboxLimits } from './outbox/limits.ts';
import { createGossipMetrics, type GossipMetrics } from './metrics.ts';
import type { Receive } from './topics.ts';

export type Meet = (peer: Peer) => Promise<void>;

/** The receivers and responders that domains have registered. */
export interface Registrations {
  readonly topics: Map<string, { readonly receive: Receive; readonly topic: Topic }>;
  readonly responders: Map<string, Responder>;
  readonly meetings: Meet[];
  readonly shared: Map<string, SharedPart>;
  readonly sources: Map<string, ByteSource>;
  readonly rounds: (() => Promise<void>)[];
}

/** The part of the port that needs a running network. */
export type RunningPort = Pick<
  GossipPort,
  'announce' | 'request' | 'fetchBytes' | 'peers' | 'addresses' | 'admissionChanged'
>;

/** The port that domains use. It exists whether or not a network is running. */
export interface Switchboard {
  readonly port: GossipPort;
  readonly registrations: Registrations;
  readonly mailroom: Mailroom;
  readonly metrics: GossipMetrics;
  connect(network: RunningPort | undefined): void;
  /** the access list that services ask, also while no network runs */
  direct(directory: NodeDirectory | undefined): void;
}

export function createSwitchboard(limits?: OutboxLimits): Switchboard {
  const mailroom = createMailroom(limits);
  const registrations: Registrations = {
    topics: new Map(),
    responders: new Map(),
    meetings: [],
    shared: new Map(),
    sources: new Map(),
    rounds: [],
  };
  let running: RunningPort = noGossip;
  let directory: NodeDirectory | undefined;
  return {
    registrations,
    mailroom,
    metrics: createGossipMetrics(),
    connect: (network) => void (running = network ?? noGossip),
    direct: (known) => void (directory = known),
    port: {
      ...mailroom.port,
      directory: () => directory,
      announce: async (type, payload) => await running.announce(type, payload),
      subscribe(type, receive, topic = {}) {
        if (running !== noGossip) throw new Error('topics are declared before the network starts');
        registrations.topics.set(type, { receive, topic });
      },
      request: async (peer, protocol, payload, options) => await running.request(peer, protocol, payload, options),
      respond: (protocol, answer) => void registrations.responders.set(protocol, answer),
      onConnect: (meet) => void registrations.meetings.push(meet),
      fetchBytes: async (nodeId, protocol, question, options) =>
        await running.fetchBytes(nodeId, protocol, question, options),
      serveBytes: (protocol, source) => void registrations.sources.set(protocol, source),
      share: (part, shared) => void registrations.shared.set(part, shared),
      everyRound: (work) => void registrations.rounds.push(work),
      peers: () => running.peers(),
      addresses: () => running.addresses(),
      admissionChanged: async () => await running.admissionChanged(),
    },
  };
}
