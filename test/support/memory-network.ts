import { canonicalJsonBytes } from '../../src/crypto/canonical-json.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import type { KeyPair } from '../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../src/crypto/public-key.ts';
import { defaultLimits } from '../../src/gossip/limits.ts';
import { isWrongClock } from '../../src/gossip/peer-table.ts';
import { peerIdOf } from '../../src/gossip/peer-id.ts';
import { watchAdmissionEnds, type AdmissionEnds } from '../../src/gossip/admission-end.ts';
import type {
  AdmissionPolicy,
  Announcement,
  ConnectedPeer,
  ByteSource,
  FetchOptions,
  GossipPort,
  Peer,
  PeerTarget,
  Responder,
  SharedPart,
} from '../../src/gossip/port.ts';
import { createMailroom } from '../../src/gossip/outbox/mailroom.ts';
import { outboxLimits, type OutboxLimits } from '../../src/gossip/outbox/limits.ts';
import { createOutbox, type Outbox } from '../../src/gossip/outbox/outbox.ts';
import { OUTBOX } from '../../src/gossip/outbox/wire.ts';
import { createSharedParts, type SharedParts } from '../../src/gossip/shared-parts.ts';
import { silentLog } from '../../src/log.ts';
import { openTopics, type OpenTopic } from '../../src/gossip/topics.ts';
import { memoryStream } from './memory-stream.ts';
import { Problem } from '../../src/problem.ts';

/** Nodes in one process, connected as a real network would connect them: with everybody whom either side admits. */
export interface MemoryNetwork {
  /** @param name for `cut` and `heal`, and the host name in its address */
  node(name: string, identity: KeyPair, clock?: () => number): MemoryNode;
  /** nothing passes between these two any more, and they see each other go */
  cut(one: string, other: string): void;
  /** the reverse; both catch up on what they missed */
  heal(one: string, other: string): Promise<void>;
  /** a round: every two connected nodes tell each other what their domains share */
  round(): void;
  /** the timers of all nodes run out: each looks at its own clock */
  wake(): void;
  /** resolves when everything that is under way has arrived and was dealt with; throws what a receiver or onConnect threw */
  settled(): Promise<void>;
}

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

interface Member extends MemoryNode {
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

const MAX_QUESTION = 1_048_576;

const undeclared = { maxBytes: defaultLimits.announcementBytes, mayAnnounce: () => Promise.resolve(true) };

export function memoryNetwork(now: () => number = Date.now, limits?: Partial<OutboxLimits>): MemoryNetwork {
  const members = new Map<string, Member>();
  const cuts = new Set<string>();
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let nonce = 0;

  function run(work: () => Promise<void>): void {
    const done = Promise.resolve()
      .then(work)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(done));
    running.add(done);
  }

  function isCut(one: Member, other: Member): boolean {
    return cuts.has(linkOf(one.name, other.name));
  }

  function byNodeId(nodeId: string): Member | undefined {
    return [...members.values()].find((member) => member.nodeId === nodeId);
  }

  function peerOf(member: Member, admitted: boolean): Peer {
    return { nodeId: member.nodeId, publicKey: member.publicKey, admitted, addresses: [member.address] };
  }

  async function admits(member: Member, other: Member): Promise<boolean> {
    return (await member.admission?.isAdmitted(other.nodeId)) ?? false;
  }

  /** Brings the connection of two nodes to what links and admission want. */
  async function reconsider(one: Member, other: Member): Promise<void> {
    const started = one.admission !== undefined && other.admission !== undefined && !isCut(one, other);
    const [oneAdmits, otherAdmits] = started ? [await admits(one, other), await admits(other, one)] : [false, false];
    if (!oneAdmits && !otherAdmits) {
      one.connected.delete(other.nodeId);
      other.connected.delete(one.nodeId);
      return;
    }
    greet(one, other, oneAdmits);
    greet(other, one, otherAdmits);
    if (oneAdmits && otherAdmits) {
      share(one, other);
      for (const announcement of one.known.values()) deliver(one, other, announcement);
      for (const announcement of other.known.values()) deliver(other, one, announcement);
    }
  }

  function greet(member: Member, other: Member, admitted: boolean): void {
    const before = member.connected.get(other.nodeId);
    member.connected.set(other.nodeId, admitted);
    if (!admitted || before === true) return;
    for (const meet of member.meetings) run(async () => await meet(peerOf(other, true)));
    member.outbox?.connected(other.nodeId);
  }

  function share(asking: Member, asked: Member): void {
    run(async () => {
      if (asking.connected.get(asked.nodeId) !== true || asked.connected.get(asking.nodeId) !== true) return;
      const [asks, answers] = [asking, asked].map(({ shared }) => createSharedParts(shared)) as [
        SharedParts,
        SharedParts,
      ];
      const told = JSON.stringify(await asks.tell(peerOf(asked, true)));
      const answer = JSON.stringify(await answers.tell(peerOf(asking, true)));
      await answers.hear(JSON.parse(told), peerOf(asking, true));
      await asks.hear(JSON.parse(answer), peerOf(asked, true));
    });
  }

  async function reconsiderAll(member: Member): Promise<void> {
    for (const other of members.values()) if (other !== member) await reconsider(member, other);
  }

  function deliver(from: Member, to: Member, announcement: Announcement): void {
    run(async () => {
      if (to.known.has(announcement.id) || to.nodeId === announcement.nodeId) return;
      if (from.connected.get(to.nodeId) !== true || to.connected.get(from.nodeId) !== true) return;
      const author = byNodeId(announcement.nodeId);
      if (author === undefined || !(await admits(to, author))) return;
      const topic = to.topics.get(announcement.type);
      if (topic === undefined || now() - announcement.timestamp > topic.retentionMs) return;
      if (sizeOf(announcement.payload) > topic.maxBytes || !(await topic.mayAnnounce(announcement.nodeId))) return;
      if (to.known.has(announcement.id)) return;
      to.known.set(announcement.id, announcement);
      spread(to, announcement);
      await topic.receive(structuredClone(announcement));
    });
  }

  function spread(from: Member, announcement: Announcement): void {
    for (const nodeId of from.connected.keys()) {
      const to = byNodeId(nodeId);
      if (to !== undefined) deliver(from, to, announcement);
    }
  }

  function target(asking: Member, peer: PeerTarget): Member {
    const found =
      'nodeId' in peer
        ? byNodeId(peer.nodeId)
        : [...members.values()].find(
            ({ address }) => address === peer.address || plainAddress(address) === peer.address,
          );
    if (found?.admission === undefined || asking.admission === undefined || isCut(asking, found))
      throw new Problem('unavailable', 'PEER_UNREACHABLE', 'The node cannot be reached.');
    return found;
  }

  async function ask(
    asking: Member,
    peer: PeerTarget,
    protocol: string,
    payload: unknown,
    signal = new AbortController().signal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const asked = target(asking, peer);
    const responder = asked.responders.get(protocol);
    if (responder === undefined) throw refused('The node does not support this protocol.');
    const admitted = await admits(asked, asking);
    if (!admitted && !responder.strangers) throw refused('This node is not admitted.');
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > (responder.maxBytes ?? MAX_QUESTION)) throw refused('The request is too large.');
    let answer: unknown;
    try {
      const cancelled = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      answer = await Promise.race([responder.answer(JSON.parse(text), peerOf(asking, admitted), signal), cancelled]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Problem) throw refused(error.message, error);
      failures.push(error);
      throw refused('The node could not answer the request.');
    }
    if (isCut(asking, asked)) throw new Problem('unavailable', 'PEER_UNREACHABLE', 'The connection was lost.');
    return JSON.parse(JSON.stringify(answer ?? null));
  }

  async function fetch(asking: Member, nodeId: string, protocol: string, question: unknown, options: FetchOptions) {
    const asked = target(asking, { nodeId });
    const source = asked.sources.get(protocol);
    if (source === undefined) throw refused('The node does not support this protocol.');
    if (!(await admits(asked, asking))) throw refused('This node is not admitted.');
    const content = await source
      .answer(JSON.parse(JSON.stringify(question)), peerOf(asking, true))
      .catch((error: unknown) => {
        throw error instanceof Problem ? refused(error.message, error) : error;
      });
    return memoryStream(content, options, () => isCut(asking, asked));
  }

  function node(name: string, identity: KeyPair, clock: () => number = now): MemoryNode {
    let due: (() => Promise<void>) | undefined;
    const watch = (policy: AdmissionPolicy): AdmissionEnds =>
      watchAdmissionEnds({
        policy,
        clock: { now: clock },
        log: silentLog,
        ended: async () => await reconsiderAll(member),
        later(_ms, action) {
          due = action;
          return () => void (due = undefined);
        },
      });
    const nodeId = nodeIdOf(identity.publicKey);
    const mailroom = createMailroom({ ...outboxLimits, ...limits });
    const port: GossipPort = {
      ...mailroom.port,
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
        const announcement = { ...content, id: toHex(sha256(canonicalJsonBytes({ ...content, nonce: ++nonce }))) };
        member.known.set(announcement.id, announcement);
        spread(member, announcement);
      },
      subscribe(type, receive, topic = {}) {
        const opened = openTopics(new Map([[type, { receive, topic }]]), defaultLimits).get(type);
        if (opened !== undefined) member.topics.set(type, opened);
      },
      request: async (peer, protocol, payload, { signal } = {}) => await ask(member, peer, protocol, payload, signal),
      respond: (protocol, answer) => void member.responders.set(protocol, answer),
      onConnect: (meet) => void member.meetings.push(meet),
      fetchBytes: async (from, protocol, question, options) => await fetch(member, from, protocol, question, options),
      serveBytes: (protocol, source) => void member.sources.set(protocol, source),
      share: (part, shared) => void member.shared.set(part, shared),
      everyRound: (work) => void member.rounds.push(work),
      peers: () =>
        [...member.connected].flatMap(([id, admitted]) => {
          const peer = byNodeId(id);
          return peer === undefined ? [] : [{ ...peerOf(peer, admitted), ...stateOf(member, peer) }];
        }),
      addresses: () => (member.admission === undefined ? [] : [member.address]),
      async admissionChanged() {
        await reconsiderAll(member);
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
        if (action !== undefined) run(action);
      },
      outbox: undefined,
      clock,
      async start(admission, parts) {
        member.admission = admission;
        if (parts !== undefined && admission.directory !== undefined) {
          const { directory } = admission;
          const reach = async (to: string) => void (await Promise.resolve(target(member, { nodeId: to })));
          member.outbox = createOutbox(parts, { mailroom, directory, request: port.request, reach });
          member.responders.set(OUTBOX, member.outbox.responder);
          await member.outbox.start();
        }
        await reconsiderAll(member);
        member.ends = watch(admission);
        await member.ends.arm();
      },
      look: async () => await member.outbox?.look(),
      stop() {
        const { outbox } = member;
        if (outbox !== undefined) run(async () => await outbox.stop());
        member.outbox = undefined;
        member.responders.delete(OUTBOX);
        member.admission = undefined;
        member.ends?.stop();
        member.connected.clear();
        for (const other of members.values()) other.connected.delete(nodeId);
      },
    };
    members.set(name, member);
    return member;
  }

  function pair(one: string, other: string): [Member, Member] {
    const found = [members.get(one), members.get(other)];
    if (found[0] === undefined || found[1] === undefined) throw new Error(`no such nodes: ${one}, ${other}`);
    return [found[0], found[1]];
  }

  return {
    node,
    cut(one, other) {
      const [a, b] = pair(one, other);
      cuts.add(linkOf(one, other));
      a.connected.delete(b.nodeId);
      b.connected.delete(a.nodeId);
    },
    async heal(one, other) {
      const [a, b] = pair(one, other);
      cuts.delete(linkOf(one, other));
      await reconsider(a, b);
    },
    round() {
      const all = [...members.values()];
      for (const [at, one] of all.entries()) for (const other of all.slice(at + 1)) share(one, other);
      for (const { admission, rounds } of all) if (admission !== undefined) for (const work of rounds) run(work);
    },
    wake() {
      for (const member of members.values()) member.timer();
    },
    async settled() {
      do {
        while (running.size > 0) await Promise.all(running);
        await Promise.all([...members.values()].map(async ({ outbox }) => await outbox?.idle()));
      } while (running.size > 0);
      if (failures.length > 0) throw failures.shift();
    },
  };
}

/** As if the first ping was answered in no time. */
function stateOf(member: Member, peer: Member): Omit<ConnectedPeer, keyof Peer> {
  const clockSkewMs = peer.clock() - member.clock();
  const pinged = { roundTripMs: 0, clockSkewMs, protocols: [...peer.responders.keys()] };
  return { connectedAt: member.clock(), wrongClock: isWrongClock(pinged), ...pinged };
}

function sizeOf(payload: unknown): number {
  return canonicalJsonBytes(payload).length;
}

const linkOf = (one: string, other: string): string => [one, other].toSorted().join(' ');

const plainAddress = (address: string): string => address.replace(/\/p2p\/[^/]+$/, '');

function refused(message: string, cause?: Problem): Problem {
  return new Problem('invalid', 'PEER_REFUSED', message, { cause });
}
