import { canonicalJsonBytes } from '../../src/crypto/canonical-json.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import type { KeyPair } from '../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../src/crypto/public-key.ts';
import { watchAdmissionEnds, type AdmissionEnds } from '../../src/platform/network/admission-end.ts';
import { defaultLimits } from '../../src/platform/network/limits.ts';
import { outboxLimits, type OutboxLimits } from '../../src/platform/network/outbox/limits.ts';
import { createMailroom } from '../../src/platform/network/outbox/mailroom.ts';
import { createOutbox, type Outbox } from '../../src/platform/network/outbox/outbox.ts';
import { OUTBOX } from '../../src/platform/network/outbox/wire.ts';
import { peerIdOf } from '../../src/crypto/peer-id.ts';
import { isWrongClock } from '../../src/platform/network/peer-table.ts';
import type {
  AdmissionPolicy,
  Announcement,
  ByteSource,
  ConnectedPeer,
  GossipPort,
  Peer,
  Responder,
  SharedPart,
} from '../../src/service/ports/network.ts';
import { openTopics, type OpenTopic } from '../../src/platform/network/topics.ts';
import { silentLog } from '../../src/base/log.ts';
import { Problem } from '../../src/base/problem.ts';
import type { MemoryRequests } from './memory-requests.ts';

export interface MemoryNode {
  readonly name: string;
  readonly nodeId: string;
  readonly port: GossipPort;
  /** what other nodes reach it by */
  readonly address: string;
  /** @param parts for a node that sends and receives messages; the admission then has a directory */
  start(admission: AdmissionPolicy, parts?: OutboxParts): Promise<void>;
  stop(): void;
  /** sends the messages that are due */
  look(): Promise<void>;
}

type OutboxParts = Parameters<typeof createOutbox>[0];

/** A node as the network sees it. */
export interface Member extends MemoryNode {
  readonly publicKey: string;
  admission: AdmissionPolicy | undefined;
  readonly topics: Map<string, OpenTopic>;
  readonly responders: Map<string, Responder>;
  readonly meetings: ((peer: Peer) => Promise<void>)[];
  readonly shared: Map<string, SharedPart>;
  readonly rounds: (() => Promise<void>)[];
  readonly sources: Map<string, ByteSource>;
  /** nodeId of who is connected → whether this side admits it */
  readonly connected: Map<string, boolean>;
  readonly known: Map<string, Announcement>;
  ends: AdmissionEnds | undefined;
  /** its timer for the end of an admission runs out */
  timer(): void;
  outbox: Outbox | undefined;
  readonly clock: () => number;
}

/** What a node needs of the network. */
interface NodeOptions {
  readonly clock: () => number;
  /** the clock of the network, by which announcements are dated */
  readonly now: () => number;
  readonly limits: Partial<OutboxLimits> | undefined;
  readonly requests: MemoryRequests<Member>;
  /** a number that no announcement had */
  nonce(): number;
  /** does something that the network waits for when it settles */
  run(work: () => Promise<void>): void;
  reconsiderAll(member: Member): Promise<void>;
  spread(from: Member, announcement: Announcement): void;
  byNodeId(nodeId: string): Member | undefined;
  isSilent(one: Member, other: Member): boolean;
  /** nobody is connected with it any more */
  gone(nodeId: string): void;
}

const undeclared = { maxBytes: defaultLimits.announcementBytes, mayAnnounce: () => Promise.resolve(true) };

/** A node of the network; nothing of it is on until it is started. */
export function memoryNode(name: string, identity: KeyPair, { clock, now, limits, ...network }: NodeOptions): Member {
  let due: (() => Promise<void>) | undefined;
  const watch = (policy: AdmissionPolicy): AdmissionEnds =>
    watchAdmissionEnds({
      policy,
      clock: { now: clock },
      log: silentLog,
      ended: async () => await network.reconsiderAll(member),
      later(_ms, action) {
        due = action;
        return () => void (due = undefined);
      },
    });
  const { requests } = network;
  const nodeId = nodeIdOf(identity.publicKey);
  const mailroom = createMailroom({ ...outboxLimits, ...limits });
  const port: GossipPort = {
    ...mailroom.port,
    directory: () => member.admission?.directory,
    async announce(type, payload) {
      // A node that isn't on tells nobody, as one without a network.
      if (member.admission === undefined) return;
      // Nodes of tests may announce what they did not declare, as a hostile one would.
      const topic = member.topics.get(type) ?? undeclared;
      const content = { type, payload: JSON.parse(JSON.stringify(payload)) as unknown, nodeId, timestamp: now() };
      if (sizeOf(payload) > topic.maxBytes)
        throw new Problem('tooLarge', 'ANNOUNCEMENT_TOO_LARGE', 'The announcement is too large.');
      if (!(await topic.mayAnnounce(nodeId)))
        throw new Problem('forbidden', 'NOT_ADMITTED', 'This node may not announce on this topic.');
      const announcement = {
        ...content,
        id: toHex(sha256(canonicalJsonBytes({ ...content, nonce: network.nonce() }))),
      };
      member.known.set(announcement.id, announcement);
      network.spread(member, announcement);
    },
    subscribe(type, receive, topic = {}) {
      const opened = openTopics(new Map([[type, { receive, topic }]]), defaultLimits).get(type);
      if (opened !== undefined) member.topics.set(type, opened);
    },
    request: async (peer, protocol, payload, { signal } = {}) =>
      await requests.ask(member, peer, protocol, payload, signal),
    respond: (protocol, answer) => void member.responders.set(protocol, answer),
    onConnect: (meet) => void member.meetings.push(meet),
    fetchBytes: async (from, protocol, question, options) =>
      await requests.fetch(member, from, protocol, question, options),
    serveBytes: (protocol, source) => void member.sources.set(protocol, source),
    share: (part, shared) => void member.shared.set(part, shared),
    everyRound: (work) => void member.rounds.push(work),
    peers: () =>
      [...member.connected].flatMap(([id, admitted]) => {
        const peer = network.byNodeId(id);
        if (peer === undefined) return [];
        return [{ ...peerOf(peer, admitted), ...stateOf(member, peer, !network.isSilent(member, peer)) }];
      }),
    addresses: () => (member.admission === undefined ? [] : [member.address]),
    async admissionChanged() {
      await network.reconsiderAll(member);
      await member.ends?.arm();
      member.outbox?.admissionChanged();
    },
  };
  const member: Member = {
    name,
    nodeId,
    publicKey: toHex(identity.publicKey),
    port,
    address: `/dns4/${name}.example/tcp/7879/p2p/${peerIdOf(identity.publicKey)}`,
    admission: undefined,
    topics: new Map(),
    responders: new Map(),
    meetings: [],
    shared: new Map(),
    rounds: [],
    sources: new Map(),
    connected: new Map(),
    known: new Map(),
    ends: undefined,
    timer() {
      const action = due;
      due = undefined;
      if (action !== undefined) network.run(action);
    },
    outbox: undefined,
    clock,
    async start(admission, parts) {
      member.admission = admission;
      if (parts !== undefined && admission.directory !== undefined) {
        const { directory } = admission;
        const reach = async (to: string) => void (await Promise.resolve(requests.target(member, { nodeId: to })));
        member.outbox = createOutbox(parts, { mailroom, directory, request: port.request, reach });
        member.responders.set(OUTBOX, member.outbox.responder);
        await member.outbox.start();
      }
      await network.reconsiderAll(member);
      member.ends = watch(admission);
      await member.ends.arm();
    },
    look: async () => await member.outbox?.look(),
    stop() {
      const { outbox } = member;
      if (outbox !== undefined) network.run(async () => await outbox.stop());
      member.outbox = undefined;
      member.responders.delete(OUTBOX);
      member.admission = undefined;
      member.ends?.stop();
      member.connected.clear();
      network.gone(nodeId);
    },
  };
  return member;
}

export function peerOf(member: Member, admitted: boolean): Peer {
  return { nodeId: member.nodeId, publicKey: member.publicKey, admitted, addresses: [member.address] };
}

/** As if the first ping was answered in no time. */
function stateOf(member: Member, peer: Member, answers: boolean): Omit<ConnectedPeer, keyof Peer> {
  const clockSkewMs = peer.clock() - member.clock();
  const pinged = { roundTripMs: 0, clockSkewMs, protocols: [...peer.responders.keys()] };
  return { connectedAt: member.clock(), answers, wrongClock: isWrongClock(pinged), ...pinged };
}

export function sizeOf(payload: unknown): number {
  return canonicalJsonBytes(payload).length;
}
