import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { chatEvents } from '../../../src/contract/chat/events.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import { topicOfConversation } from '../../../src/shared/conversations/conversation.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { someMoment } from '../../support/real-time.ts';
import { seeded } from '../../support/run-seed.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import { done, groupOf } from './chat-scene.ts';
import { ReplayClient } from './replay-client.ts';
import type { ReplayProcess } from './replay-process.ts';

type Random = () => number;

const below = (random: Random, count: number): number => Math.floor(random() * count);

function one<T>(random: Random, of: readonly T[]): T {
  const chosen = of[below(random, of.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}

function shuffled<T>(random: Random, of: readonly T[]): T[] {
  return of
    .map((item) => [random(), item] as const)
    .toSorted(([before], [after]) => before - after)
    .map(([, item]) => item);
}

const anybody = ['send', 'send', 'send twice', 'edit', 'delete', 'react', 'unreact'] as const;
const moderators = [...anybody, 'pin', 'pin', 'unpin'] as const;
const admins = [...moderators, 'kick', 'add', 'add'] as const;
const owner = [...admins, 'role'] as const;
type Deed = (typeof owner)[number] | 'leave';

interface Cast {
  readonly ann: HouseMember;
  readonly bob: HouseMember;
  /** they come and go by themselves */
  readonly guests: readonly HouseMember[];
  /** is taken in and out */
  readonly fay: HouseMember;
  readonly readers: readonly HouseMember[];
}

interface Run {
  readonly processes: readonly ReplayProcess[];
  readonly conversationId: string;
  readonly cast: Cast;
  /** answers that nobody has documented */
  readonly odd: unknown[];
}

/** A member who does one thing after the other, each in any of the processes. */
class Writer {
  readonly #run: Run;
  readonly #member: HouseMember;
  readonly #random: Random;
  #count = 0;

  constructor(run: Run, member: HouseMember, random: Random) {
    this.#run = run;
    this.#member = member;
    this.#random = random;
  }

  /** What others do at the same time may refuse it. */
  async #try<O extends JsonOperation>(operation: O, input: RawInputOf<O>): Promise<ReplyOf<O> | undefined> {
    const { processes, odd } = this.#run;
    const { status, body } = await one(this.#random, processes).ask(
      async (house) => await house.perform(operation, input, this.#member.token),
    );
    if (status === operation.status) return body.data as ReplyOf<O>;
    if (!operation.errors.includes(body.error?.reason)) odd.push([operation.id, status, body]);
    return undefined;
  }

  async #send(clientId?: string): Promise<ChatMessage | undefined> {
    this.#count += 1;
    const content = `${this.#member.username} says ${this.#count}`;
    const { conversationId } = this.#run;
    return await this.#try(groups.sendToGroup, {
      conversationId,
      content,
      ...(clientId !== undefined && { clientId }),
    });
  }

  /** Any message that it sees, or one that it sends if it sees none. */
  async #message(wanted: (message: ChatMessage) => boolean): Promise<string | undefined> {
    const { conversationId } = this.#run;
    const page = await this.#try(messages.groupMessages, { conversationId });
    const seen = (page?.items ?? []).filter((message) => message.deleted !== true && wanted(message));
    return (seen.length === 0 ? await this.#send() : one(this.#random, seen))?.id;
  }

  async perform(deed: Deed): Promise<void> {
    const { conversationId, cast } = this.#run;
    const { memberId } = this.#member;
    const guest = { conversationId, memberIds: [one(this.#random, [...cast.guests, cast.fay]).memberId] };
    const fay = { conversationId, memberId: cast.fay.memberId };
    if (deed === 'send') await this.#send();
    else if (deed === 'send twice') {
      const clientId = `${memberId}-${this.#count}`;
      const sent = await Promise.all([this.#send(clientId), this.#send(clientId)]);
      const ids = new Set(sent.flatMap((message) => message?.id ?? []));
      if (ids.size > 1) this.#run.odd.push(['sent twice', ...ids]);
    } else if (deed === 'add') await this.#try(members.groupAddMembers, guest);
    else if (deed === 'kick') {
      await this.#try(members.groupAddMembers, { conversationId, memberIds: [fay.memberId] });
      await this.#try(moderation.groupKick, fay);
    } else if (deed === 'leave') await this.#try(members.groupLeave, { conversationId });
    else if (deed === 'role') {
      for (const role of ['moderator', 'admin'] as const)
        await this.#try(members.groupSetRole, { conversationId, memberId: cast.bob.memberId, role });
    } else await this.#change(deed);
  }

  async #change(deed: 'edit' | 'delete' | 'react' | 'unreact' | 'pin' | 'unpin'): Promise<void> {
    const isOwn = deed === 'edit' || deed === 'delete';
    const messageId = await this.#message(({ senderId }) => !isOwn || senderId === this.#member.memberId);
    if (messageId === undefined) return;
    const of = { conversationId: this.#run.conversationId, messageId };
    if (deed === 'edit') await this.#try(messages.groupEditMessage, { ...of, content: `new ${(this.#count += 1)}` });
    else if (deed === 'delete') await this.#try(messages.groupDeleteMessage, of);
    else if (deed === 'react' || deed === 'unreact') {
      const reaction = await this.#try(messages.groupReact, { ...of, emoji: one(this.#random, ['👍', '❤']) });
      if (deed === 'unreact' && reaction !== undefined)
        await this.#try(messages.groupUnreact, { ...of, reactionId: reaction.reactionId });
    } else {
      await this.#try(messages.groupPin, of);
      if (deed === 'unpin') await this.#try(messages.groupUnpin, of);
    }
  }
}

/** A member who reads once, and then hears: with connections that end at any moment, in any of the processes. */
class Reader {
  readonly client = new ReplayClient();
  readonly #run: Run;
  readonly #member: HouseMember;
  readonly #random: Random;
  #process: ReplayProcess | undefined;

  constructor(run: Run, member: HouseMember, random: Random) {
    this.#run = run;
    this.#member = member;
    this.#random = random;
  }

  async connect({ breaks = false } = {}): Promise<void> {
    const { client } = this;
    const listener = listenerOf(this.#member.memberId);
    this.#process = one(this.#random, this.#run.processes);
    client.listener = listener;
    const topic = topicOfConversation(this.#run.conversationId);
    const subscribing = this.#process.subscribe(listener, topic, client.last);
    if (breaks) {
      await setImmediate();
      this.#process.cut(listener);
    }
    const position = await subscribing;
    client.last ??= position;
  }

  /** Reads all, when it knows from where on it hears. */
  async begin(): Promise<void> {
    while (this.client.last === undefined) await this.connect();
    const read = one(this.#random, this.#run.processes);
    await read.ask(async (house) => await this.client.read(house, this.#member, this.#run.conversationId));
  }

  async follow(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await someMoment(1);
      const draw = this.#random();
      // What arrived is known, or lost with the connection.
      this.client.hear(below(this.#random, 8));
      if (this.client.listener?.open !== true) await this.connect({ breaks: draw < 0.3 });
      else if (draw < 0.15) this.#process?.cut(this.client.listener);
    }
  }

  async end(messageId: string): Promise<void> {
    if (this.client.listener?.open !== true) await this.connect();
    await eventually(() => {
      this.client.hear();
      if (!this.client.shown.has(messageId)) throw new Error('the last message was not heard');
    });
  }
}

/** What readers have to hear of in the course of a test, so that it says something. */
const wanted = [
  chatEvents.messageSent,
  chatEvents.messageEdited,
  chatEvents.messageDeleted,
  chatEvents.reactionAdded,
  chatEvents.reactionRemoved,
  chatEvents.messagePinned,
  chatEvents.messageUnpinned,
  chatEvents.memberJoined,
  chatEvents.memberLeft,
  chatEvents.memberKicked,
  chatEvents.roleChanged,
].map(({ name }) => name);

/**
 * Several members change a conversation at the same time, while readers come and go, and one of the processes is started anew. What readers
 * read first, with what they heard, is what there is at the end.
 * @param rounds so many conversations, one after the other
 */
export async function expectAddsUp(processes: readonly ReplayProcess[], random: Random, rounds: number): Promise<void> {
  const [first] = processes;
  if (first === undefined) throw new Error('there is no process');
  const people = await first.ask(async (house) => {
    const register = async () => await house.register();
    return [await register(), await register(), await register(), await register(), await register()] as const;
  });
  const [ann, bob, cid, dan, eve] = people;
  const [fay, gil] = await first.ask(async (house) => [await house.register(), await house.register()] as const);
  const cast: Cast = { ann, bob, guests: [dan, eve], fay, readers: [cid, gil] };
  const names = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const conversationId = await first.ask(async (house) => await groupOf(house, [...people, gil]));
    await first.ask(async (house) => {
      const input = { conversationId, memberId: bob.memberId, role: 'admin' } as const;
      await done(house, members.groupSetRole, ann, input);
    });
    const run: Run = { processes, conversationId, cast, odd: [] };
    const own = () => seeded(below(random, 2 ** 31));
    const plans: [Writer, readonly Deed[]][] = [
      [new Writer(run, ann, own()), shuffled(random, owner)],
      [new Writer(run, bob, own()), shuffled(random, admins)],
      ...cast.guests.map((guest): [Writer, readonly Deed[]] => [
        new Writer(run, guest, own()),
        shuffled(random, [...anybody, 'leave']),
      ]),
    ];
    const readers = cast.readers.map((reader) => new Reader(run, reader, own()));
    const restarted = one(random, processes);
    const restartsAfter = below(random, plans.flatMap(([, deeds]) => deeds).length);
    let performed = 0;
    let restarting: Promise<void> | undefined;
    const over = new AbortController();
    const write = async (writer: Writer, deeds: readonly Deed[]) => {
      for (const deed of deeds) {
        if (performed === restartsAfter) restarting = restarted.restart();
        performed += 1;
        await writer.perform(deed);
      }
    };
    const writeAll = async () => {
      try {
        await Promise.all(plans.map(async ([writer, deeds]) => await write(writer, deeds)));
        await restarting;
      } finally {
        over.abort();
      }
    };
    // One reads before everything, and so hears of everything; the other reads while others write.
    const [early] = readers;
    await early?.begin();
    const follow = async (reader: Reader) => {
      if (reader !== early) await reader.begin();
      await reader.follow(over.signal);
    };
    await Promise.all([writeAll(), ...readers.map(follow)]);
    expect(run.odd).toEqual([]);
    // It comes after everything else, and nobody deletes it.
    const end = await one(random, processes).ask(
      async (house) => await done(house, groups.sendToGroup, ann, { conversationId, content: 'the end' }),
    );
    for (const [at, reader] of readers.entries()) {
      await reader.end(end.id);
      const { client } = reader;
      expect(client.wrong).toEqual([]);
      const there = new ReplayClient();
      const member = cast.readers[at]!;
      await first.ask(async (house) => await there.read(house, member, conversationId));
      expect(client.state).toEqual(there.state);
      expect(client.state.messages.map(({ seq }) => seq)).toEqual(client.state.messages.map((_, index) => index + 1));
      const { items } = await first.ask(
        async (house) => await done(house, messages.groupPins, member, { conversationId }),
      );
      const pinned = client.state.messages.filter(({ isPinned }) => isPinned).map(({ id }) => id);
      expect(items.map(({ id }) => id).toSorted()).toEqual(pinned.toSorted());
      for (const name of client.names) names.add(name);
    }
  }
  expect([...names]).toEqual(expect.arrayContaining(wanted));
}
