import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { positionOf } from '../../../src/platform/store/event-rows.ts';
import { topicOfConversation } from '../../../src/shared/conversations/conversation.ts';
import { eventually } from '../../support/eventually.ts';
import { openHouse, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runs } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { openHeard } from '../social/heard-scene.ts';
import { done, groupOf } from './chat-scene.ts';
import { ReplayClient } from './replay-client.ts';

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
        const client = new ReplayClient();
        client.listener = await heard.listen(reader, topic);
        await client.read(house, reader, conversationId);
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
        expect(client.wrong).toEqual([]);
        const there = new ReplayClient();
        await there.read(house, reader, conversationId);
        expect(client.state).toEqual(there.state);
      }),
      { numRuns: runs(24) },
    );
  });
});
