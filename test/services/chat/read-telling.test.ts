import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { places } from '../../../src/contract/chat/places.ts';
import type { TestListener } from '../../platform/realtime/hearing.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, done } from './chat-scene.ts';
import { openPresence } from './presence-scene.ts';

const { readCountsMs, readCountsTold } = chatLimits;
const name = 'conversation:read_counts';

interface Told {
  readonly messages: readonly { readonly seq: number; readonly readBy: number }[];
}

const countsIn = ({ heard }: TestListener): string[] =>
  heard
    .filter(({ type }) => type === name)
    .map(({ data }) => (data as Told).messages.map(({ seq, readBy }) => `${seq}: ${readBy}`).join(', '));

async function openLarge(engine: (typeof bothEngines)[number]) {
  const scene = await openPresence(engine);
  const { house, ann, bob, cleo } = scene.scene;
  const [dan, eve] = [await house.register(), await house.register()];
  const conversationId = await channelOf(house, [ann, bob, cleo, dan, eve]);
  return {
    ...scene,
    conversationId,
    dan,
    eve,
    say: async (who: HouseMember, content: string) =>
      await done(house, channels.sendToChannel, who, { conversationId, content }),
    read: async (who: HouseMember, seq?: number) =>
      await done(house, places.channelRead, who, { conversationId, ...(seq !== undefined && { seq }) }),
    sized: async (member_count: number) =>
      await house.ctx.db.updateTable('rooms').set({ member_count }).where('id', '=', conversationId).execute(),
  };
}

describe.each(bothEngines)('counts of readers on %s', (engine) => {
  it('are told to the senders, once in a while', async () => {
    await using scene = await openLarge(engine);
    const { conversationId, dan, eve, say, read } = scene;
    const { ann, bob, cleo } = scene.scene;
    const first = await say(ann, 'One');
    await say(bob, 'Two');
    const third = await say(ann, 'Three');
    const [annHears, bobHears, cleoHears] = [await scene.inbox(ann), await scene.inbox(bob), await scene.inbox(cleo)];
    await scene.sized(51);
    await read(cleo, 1);
    await scene.pass(readCountsMs - 1);
    await read(cleo);
    await read(bob);
    expect(countsIn(annHears)).toEqual([]);
    await scene.pass(1);
    await scene.told(() => expect([countsIn(annHears), countsIn(bobHears)]).toEqual([['1: 2, 3: 2'], ['2: 2']]));
    expect(annHears.heard.find(({ type }) => type === name)?.data).toEqual({
      contextType: 'channel',
      contextId: conversationId,
      conversationId,
      messages: [
        { messageId: first.id, seq: 1, readBy: 2 },
        { messageId: third.id, seq: 3, readBy: 2 },
      ],
    });
    // What was told is not told again, and nobody is told of whom a block parts from them.
    await scene.scene.block(dan, ann);
    await read(dan);
    await scene.pass(readCountsMs);
    await scene.told(() => expect(countsIn(bobHears)).toEqual(['2: 2', '2: 3']));
    expect(countsIn(annHears)).toHaveLength(1);
    // Of those who hide it nobody is told, and they are told of nobody.
    const hide = async ({ memberId, token }: HouseMember) => {
      const body = { privacySettings: { showReadReceipts: false } };
      expect((await scene.scene.house.api('PUT', `/api/social/users/${memberId}`, { token, body })).status).toBe(200);
    };
    await hide(eve);
    await read(eve);
    await hide(bob);
    await say(bob, 'Four');
    await say(ann, 'Five');
    await read(cleo);
    await scene.pass(readCountsMs);
    await scene.told(() => expect(countsIn(annHears)).toEqual(['1: 2, 3: 2', '5: 1']));
    expect([countsIn(bobHears).length, countsIn(cleoHears).length]).toEqual([2, 0]);
  });

  it('are told of the newest messages, and not where few are', async () => {
    await using scene = await openLarge(engine);
    const { ann, bob, cleo } = scene.scene;
    for (let at = 0; at <= readCountsTold; at += 1) await scene.say(ann, 'Again');
    const annHears = await scene.inbox(ann);
    await scene.read(bob);
    await scene.sized(51);
    await scene.read(cleo, readCountsTold + 1);
    await scene.pass(readCountsMs);
    const newest = Array.from({ length: readCountsTold }, (_, at) => `${at + 2}: 2`).join(', ');
    await scene.told(() => expect(countsIn(annHears)).toEqual([newest]));
    // It shrank meanwhile.
    await scene.read(scene.dan);
    await scene.sized(50);
    await scene.pass(readCountsMs);
    await scene.sized(51);
    await scene.read(scene.eve);
    await scene.pass(readCountsMs);
    await scene.told(() => expect(countsIn(annHears)).toEqual([newest, newest.replaceAll(': 2', ': 4')]));
  });
});
