import type { KeyPair } from '../../src/crypto/key-pair.ts';
import type { OutboxLimits } from '../../src/platform/network/outbox/limits.ts';
import type { Announcement } from '../../src/service/ports/network.ts';
import { createSharedParts, type SharedParts } from '../../src/platform/network/shared-parts.ts';
import { memoryNode, peerOf, sizeOf, type Member, type MemoryNode } from './memory-node.ts';
import { memoryRequests } from './memory-requests.ts';

/** Nodes in one process, connected as a real network would connect them: with everybody whom either side admits. */
export interface MemoryNetwork {
  /** @param name for `cut` and `heal`, and the host name in its address */
  node(name: string, identity: KeyPair, clock?: () => number): MemoryNode;
  /** nothing passes between these two any more, and they see each other go */
  cut(one: string, other: string): void;
  /** pings between these two get no answer, and their connection is not closed over that so far */
  silence(one: string, other: string): void;
  /** the reverse; both catch up on what they missed */
  heal(one: string, other: string): Promise<void>;
  /** a round: every two connected nodes tell each other what their domains share */
  round(): void;
  /** the timers of all nodes run out: each looks at its own clock */
  wake(): void;
  /** resolves when everything that is under way has arrived and was dealt with; throws what a receiver or onConnect threw */
  settled(): Promise<void>;
}

export function memoryNetwork(now: () => number = Date.now, limits?: Partial<OutboxLimits>): MemoryNetwork {
  const members = new Map<string, Member>();
  const cuts = new Set<string>();
  const silences = new Set<string>();
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

  const requests = memoryRequests<Member>({
    all: () => members.values(),
    isCut,
    admits,
    peerOf,
    failed: (error) => void failures.push(error),
  });

  function node(name: string, identity: KeyPair, clock: () => number = now): MemoryNode {
    const member = memoryNode(name, identity, {
      clock,
      now,
      limits,
      requests,
      nonce: () => (nonce += 1),
      run,
      reconsiderAll,
      spread,
      byNodeId,
      isSilent: (one, other) => silences.has(linkOf(one.name, other.name)),
      gone(nodeId) {
        for (const other of members.values()) other.connected.delete(nodeId);
      },
    });
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
    silence(one, other) {
      pair(one, other);
      silences.add(linkOf(one, other));
    },
    async heal(one, other) {
      const [a, b] = pair(one, other);
      silences.delete(linkOf(one, other));
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

const linkOf = (one: string, other: string): string => [one, other].toSorted().join(' ');
