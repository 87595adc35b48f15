import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { epochs } from '../../../src/contract/chat/epochs.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { endSessions } from '../../../src/platform/store/backup/restore-backup.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openClients, type ClientScene } from './client-scene.ts';

/** One more session, after a restore has ended all. */
async function enter({ house }: ClientScene, who: HouseMember): Promise<HouseMember> {
  return { ...who, token: await house.signIn(who) };
}

describe.each(bothEngines)('conversations of a store that was restored, on %s', (engine) => {
  it('have a new key before the next message, which members get when they ask', async () => {
    await using scene = await openClients(engine);
    const { house } = scene;
    const group = await groupOf(house, [scene.ann, scene.bob]);
    const channel = await channelOf(house, [scene.ann, scene.bob]);
    const { conversationId: two } = await sendDirect(house, scene.ann, scene.bob, 'Before');
    await done(house, groups.sendToGroup, scene.ann, { conversationId: group, content: 'Before' });
    await endSessions(house.ctx.store);
    const [ann, bob, cleo] = [
      await enter(scene, scene.ann),
      await enter(scene, scene.bob),
      await enter(scene, scene.cleo),
    ];
    const inGroup = async (content: string) =>
      await done(house, groups.sendToGroup, ann, { conversationId: group, content });
    const both = await Promise.all([inGroup('After'), inGroup('Beside')]);
    expect(both.map(({ epoch }) => epoch)).toEqual([2, 2]);
    expect(await inGroup('Later')).toMatchObject({ epoch: 2, content: 'Later' });
    const { keys, epoch } = await done(house, places.groupKeys, bob, { conversationId: group });
    expect({ epoch, keys: keys.map((key) => [key.epoch, key.reason]) }).toEqual({
      epoch: 2,
      keys: [
        [1, 'created'],
        [2, 'restored'],
      ],
    });
    const read = (await done(house, messages.groupMessages, bob, { conversationId: group })).items;
    expect(read.map(({ content }) => content).toSorted()).toEqual(['After', 'Before', 'Beside', 'Later']);
    const to = { recipientId: bob.memberId, content: 'After' };
    expect(await done(house, direct.sendDirect, ann, to)).toMatchObject({ conversationId: two, epoch: 2 });
    const { epoch: before } = await done(house, places.channelKeys, bob, { conversationId: channel });
    const said = await done(house, channels.sendToChannel, ann, { conversationId: channel, content: 'After' });
    expect(said.epoch).toBe(before + 1);
    // Whoever comes then has a key of their own again.
    await done(house, channels.joinChannel, cleo, { conversationId: channel });
    const seen = (await done(house, messages.channelMessages, cleo, { conversationId: channel })).items;
    expect(seen.map(({ content }) => content)).toEqual(['After']);
  });

  it('wait for the key of a member where only members have it', async () => {
    await using scene = await openClients(engine);
    const { house } = scene;
    const garden = await scene.group([scene.ann, scene.bob]);
    const conversationId = garden.id;
    await endSessions(house.ctx.store);
    const ann = await enter(scene, scene.ann);
    const old = { conversationId, ...scene.seal(scene.ann, garden, 'After') };
    expect(await refused(house, groups.sendToGroup, ann, old)).toBe('409 EPOCH_CLOSED');
    garden.key = scene.makeKey(scene.ann, conversationId, [scene.ann, scene.bob], garden.key.sent);
    await done(house, epochs.groupBeginEpoch, ann, { conversationId, ...garden.key.sent });
    const next = { conversationId, ...scene.seal(scene.ann, garden, 'After') };
    expect(await done(house, groups.sendToGroup, ann, next)).toMatchObject({ epoch: 2 });
  });
});
