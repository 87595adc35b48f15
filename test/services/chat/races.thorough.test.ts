import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { openHouse } from '../../support/house.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, done, groupOf, sendDirect } from './chat-scene.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const types = {
  group: {
    make: groupOf,
    add: members.groupAddMembers,
    kick: moderation.groupKick,
    send: groups.sendToGroup,
    keys: places.groupKeys,
  },
  channel: {
    make: channelOf,
    add: members.channelAddMembers,
    kick: moderation.channelKick,
    send: channels.sendToChannel,
    keys: places.channelKeys,
  },
};

describe.each(bothEngines)('conversations that many change at once on %s', (engine) => {
  it.each(['group', 'channel'] as const)(
    'have no message after a kick under a key of the kicked member: %s',
    async (type) => {
      await using house = await openHouse(engine);
      const is = types[type];
      const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
      const conversationId = await is.make(house, [ann, bob]);
      const add = { conversationId, memberIds: [cid.memberId] };
      for (const round of range(rounds(4, 100))) {
        house.clock.advance(60_000);
        await done(house, is.add, ann, add);
        const { epoch: known } = await done(house, is.keys, cid, { conversationId, sinceEpoch: 0 });
        let isKicked = false;
        const late: ChatMessage[] = [];
        const kick = async () => {
          await done(house, is.kick, ann, { conversationId, memberId: cid.memberId });
          isKicked = true;
        };
        const send = async (content: string) => {
          const message = await done(house, is.send, bob, { conversationId, content });
          if (isKicked) late.push(message);
        };
        const before = range(round % 5).map(async (at) => await send(`before ${at}`));
        await Promise.all([...before, kick(), ...range(5).map(async (at) => await send(`beside ${at}`))]);
        await send('after');
        expect(late.length).toBeGreaterThan(0);
        expect(late.filter(({ epoch }) => epoch <= known)).toEqual([]);
      }
    },
  );

  it.each(['group', 'channel'] as const)('have an epoch for each of two kicks at once: %s', async (type) => {
    await using house = await openHouse(engine);
    const is = types[type];
    const [ann, bob, cid, dan] = await Promise.all(range(4).map(async () => await house.register()));
    const conversationId = await is.make(house, [ann!, bob!, cid!, dan!]);
    await Promise.all(
      [cid!, dan!].map(async ({ memberId }) => await done(house, is.kick, ann!, { conversationId, memberId })),
    );
    const { epoch, keys } = await done(house, is.keys, bob!, { conversationId });
    expect({ epoch, epochs: keys.map((key) => key.epoch) }).toEqual({ epoch: 3, epochs: [1, 2, 3] });
  });

  it('are one conversation if both begin it at once, with every message once and in order', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const sent = await Promise.all(
      range(8).map(
        async (at) => await (at % 2 === 0 ? sendDirect(house, ann, bob, 'a') : sendDirect(house, bob, ann, 'b')),
      ),
    );
    expect(new Set(sent.map((message) => message.conversationId)).size).toBe(1);
    expect(sent.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(range(8).map((at) => at + 1));
  });

  it('have one message of a client that sends it several times at once', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    await sendDirect(house, ann, bob, 'begin');
    const input = { recipientId: bob.memberId, content: 'once', clientId: 'one' };
    const sent = await Promise.all(range(5).map(async () => await done(house, direct.sendDirect, ann, input)));
    expect(new Set(sent.map(({ id, seq }) => `${id} ${seq}`)).size).toBe(1);
    expect(sent[0]?.seq).toBe(2);
  });
});
