import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatEvents } from '../../../src/contract/chat/events.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { positionOf } from '../../../src/platform/store/event-rows.ts';
import { topicOfConversation } from '../../../src/shared/conversations/conversation.ts';
import { eventually } from '../../support/eventually.ts';
import { openHouse, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import type { TestListener } from '../../platform/realtime/hearing.ts';
import { runs } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { openHeard } from '../social/heard-scene.ts';
import { done, groupOf } from './chat-scene.ts';

/** What a client shows of a message. */
interface Shown {
  readonly seq: number;
  readonly content: string | null;
  readonly isDeleted: boolean;
  readonly isPinned: boolean;
  readonly reactions: readonly string[];
}

/** A client that reads the messages once, and then goes by what it hears. */
class Client {
  readonly shown = new Map<string, Shown>();
  listener: TestListener | undefined;
  /** what it was told of events that it cannot have any more, of which there are none */
  readonly missed: unknown[] = [];
  /** number of the last event that it knows */
  last: number | undefined;

  show({ id, seq, content, deleted, pinned, reactions }: ChatMessage): void {
    const kinds = reactions.map((one) => one.reactionId).toSorted();
    this.shown.set(id, { seq, content, isDeleted: deleted === true, isPinned: pinned, reactions: kinds });
  }

  /** Takes what was heard since it looked last. */
  hear(): void {
    for (const event of this.listener?.heard.splice(0) ?? []) {
      if (event['type'] === 'resync') this.missed.push(event);
      // What passes has no number, and changes nothing of the messages.
      if (event['seq'] === undefined) continue;
      this.last = event['seq'] as number;
      this.#apply(event['type'] as string, event['data'] as Record<string, never>);
    }
  }

  #apply(type: string, data: Record<string, never>): void {
    const { messageId, message, reactionId, seq } = data;
    const before = messageId === undefined ? undefined : this.shown.get(messageId);
    const change = (what: Partial<Shown>): void => {
      if (before !== undefined && messageId !== undefined) this.shown.set(messageId, { ...before, ...what });
    };
    if (message !== undefined) this.show(message);
    else if (type === chatEvents.messageDeleted.name)
      this.shown.set(messageId!, { seq: seq!, content: null, isDeleted: true, isPinned: false, reactions: [] });
    else if (type === chatEvents.messagePinned.name) change({ isPinned: true });
    else if (type === chatEvents.messageUnpinned.name) change({ isPinned: false });
    else {
      const others = before?.reactions.filter((one) => one !== reactionId) ?? [];
      const isAdded = type === chatEvents.reactionAdded.name;
      change({ reactions: isAdded ? [...others, reactionId!].toSorted() : others });
    }
  }
}

const step = fc.record({
  does: fc.constantFrom('send', 'send', 'edit', 'delete', 'react', 'unreact', 'pin', 'unpin', 'reconnect', 'leave off'),
  who: fc.nat(2),
  which: fc.nat(9),
});
type Step = { readonly does: string; readonly who: number; readonly which: number };

/** Each does what makes sense at the time; what is refused then changes nothing. */
async function perform(house: House, conversationId: string, member: HouseMember, { does, which }: Step) {
  const token = member.token;
  if (does === 'send') {
    await house.perform(groups.sendToGroup, { conversationId, content: `text ${which}` }, token);
    return;
  }
  const { items } = await done(house, messages.groupMessages, member, { conversationId });
  const message = items[which % Math.max(1, items.length)];
  if (message === undefined) return;
  const of = { conversationId, messageId: message.id };
  if (does === 'edit') await house.perform(messages.groupEditMessage, { ...of, content: `new ${which}` }, token);
  if (does === 'delete') await house.perform(messages.groupDeleteMessage, of, token);
  if (does === 'react') await house.perform(messages.groupReact, { ...of, emoji: which % 2 === 0 ? '👍' : '❤' }, token);
  if (does === 'pin') await house.perform(messages.groupPin, of, token);
  if (does === 'unpin') await house.perform(messages.groupUnpin, of, token);
  const own = message.reactions.find((one) => one.memberId === member.memberId);
  if (does === 'unreact' && own !== undefined)
    await house.perform(messages.groupUnreact, { ...of, reactionId: own.reactionId }, token);
}

describe.each(bothEngines)('what is heard of a conversation on %s', (engine) => {
  it('adds up to what is read at the end, however often a client is away', async () => {
    await using heard = await openHeard(async (options: HouseOptions) => {
      const house = await openHouse(engine, options);
      return { house, [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose]() };
    });
    const { house } = heard.scene;
    const people = [await house.register(), await house.register(), await house.register()];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        house.clock.advance(60_000);
        const conversationId = await groupOf(house, people);
        const topic = topicOfConversation(conversationId);
        const reader = people[2]!;
        const client = new Client();
        client.listener = await heard.listen(reader, topic);
        for (const message of (await done(house, messages.groupMessages, reader, { conversationId })).items)
          client.show(message);
        client.last = await positionOf(house.ctx.db, topic);
        for (const one of steps) {
          if (one.does === 'leave off' || one.does === 'reconnect') {
            client.hear();
            if (client.listener !== undefined) heard.sockets.topics.forget(client.listener);
            client.listener = undefined;
            if (one.does === 'reconnect') client.listener = await heard.listen(reader, topic, client.last);
          } else await perform(house, conversationId, people[one.who]!, one);
        }
        client.listener ??= await heard.listen(reader, topic, client.last);
        // It comes after everything else, and nobody deletes it.
        const end = await done(house, groups.sendToGroup, people[0]!, { conversationId, content: 'the end' });
        await eventually(() => {
          client.hear();
          expect([...client.shown.keys()]).toContain(end.id);
        });
        expect(client.missed).toEqual([]);
        const read = new Client();
        const { items } = await done(house, messages.groupMessages, reader, { conversationId, limit: 200 });
        for (const message of items) read.show(message);
        expect([...client.shown].toSorted()).toEqual([...read.shown].toSorted());
      }),
      { numRuns: runs(24) },
    );
  });
});
