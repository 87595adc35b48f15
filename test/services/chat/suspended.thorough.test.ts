import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { suspendedHandler } from '../../../src/shared/conversations/suspended.ts';
import { purgeChat } from '../../../src/services/chat/purge.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { channelOf, done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat, type ChatScene } from './scene.ts';

const DAY = 86_400_000;

async function restore({ house }: ChatScene, { memberId }: HouseMember): Promise<void> {
  const request = { token: await house.operatorToken(), trusted: true, body: { reason: 'A test' } };
  const { status } = await house.api('POST', `/api/admin/members/${memberId}/restore`, request);
  expect(status).toBe(200);
}

/** What a server does after so many days: it plans what is done each day, and does it. */
async function daysLater(scene: ChatScene, days: number): Promise<void> {
  await purgeChat(scene.house.ctx);
  scene.house.clock.advance(days * DAY);
  await runDueJobs(scene, 'chat');
}

/** Their sessions end meanwhile. */
const anew = async ({ house }: ChatScene, who: HouseMember) => ({ ...who, token: await house.signIn(who) });

describe.each(bothEngines)('who is suspended for long, on %s', (engine) => {
  it('is out of groups and channels after 30 days, with a new key, and what they own is handed over', async () => {
    await using scene = await openChat(engine);
    const { house, ann } = scene;
    let { bob, cleo } = scene;
    const dan = await house.register({ username: 'dan' });
    const owned = await groupOf(house, [ann, bob, dan, cleo]);
    await done(house, members.groupSetRole, ann, { conversationId: owned, memberId: dan.memberId, role: 'admin' });
    await done(house, members.groupSetRole, ann, { conversationId: owned, memberId: cleo.memberId, role: 'moderator' });
    await done(house, groups.sendToGroup, ann, { conversationId: owned, content: 'It stays' });
    const channel = await channelOf(house, [bob, ann]);
    const alone = await channelOf(house, [ann], { name: 'alone' });
    const { conversationId: pair } = await sendDirect(house, ann, bob, 'This too');
    // He would be the heir, and is suspended himself, though not for as long.
    await scene.suspend(ann);
    house.clock.advance(DAY);
    await scene.suspend(dan);
    await daysLater(scene, 29 - 1 / DAY);
    bob = await anew(scene, bob);
    cleo = await anew(scene, cleo);
    expect((await done(house, groups.showGroup, bob, { conversationId: owned })).memberCount).toBe(4);
    await daysLater(scene, 1);
    await daysLater(scene, 1);
    bob = await anew(scene, bob);
    cleo = await anew(scene, cleo);
    const group = await done(house, groups.showGroup, bob, { conversationId: owned });
    expect(new Map(group.members.map(({ memberId, role }) => [memberId, role]))).toEqual(
      new Map([
        [bob.memberId, 'member'],
        [cleo.memberId, 'owner'],
      ]),
    );
    const log = await done(house, moderation.groupLog, cleo, { conversationId: owned });
    // Those of one moment are in no order.
    expect(log.items.slice(0, 3).map(({ action, subjectId }) => `${action} ${subjectId}`)).toEqual(
      expect.arrayContaining([`suspended ${dan.memberId}`, `suspended ${ann.memberId}`, `hand_over ${cleo.memberId}`]),
    );
    // The first key, and one for each who left.
    expect(await done(house, groups.sendToGroup, bob, { conversationId: owned, content: 'On' })).toMatchObject({
      epoch: 3,
    });
    const { items } = await done(house, messages.groupMessages, bob, { conversationId: owned });
    expect(items.map(({ content }) => content)).toEqual(['It stays', 'On']);
    expect(
      (await house.api('GET', `/api/channels/${channel}/members`, { token: bob.token })).body.data.items,
    ).toHaveLength(1);
    expect(await done(house, messages.directMessages, bob, { conversationId: pair })).toMatchObject({
      items: [{ content: 'This too' }],
    });
    // Nobody else is in this one, and it is theirs when they come back.
    await restore(scene, ann);
    const back = await anew(scene, ann);
    expect((await done(house, channels.showChannel, back, { conversationId: alone })).role).toBe('owner');
    expect(await refused(house, groups.showGroup, back, { conversationId: owned })).toBe('403 FORBIDDEN');
  });
});

describe.each(engines)('who is suspended for long, on %s', (engine) => {
  it('stays if they are restored before, and their time begins anew', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const id = await groupOf(house, [bob, ann]);
    await scene.suspend(ann);
    await daysLater(scene, 29);
    await restore(scene, ann);
    await daysLater(scene, 2);
    await scene.suspend(ann);
    // To suspend somebody who is suspended does not begin anew.
    await daysLater(scene, 20);
    await scene.suspend(ann);
    const count = async () =>
      (await done(house, groups.showGroup, await anew(scene, bob), { conversationId: id })).memberCount;
    expect(await count()).toBe(2);
    await daysLater(scene, 11);
    expect(await count()).toBe(1);
  });

  it('closes the key where only members have it, and one that fails stops no other', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const broken = await groupOf(house, [bob, ann]);
    const garden = await scene.group([bob, ann, cleo]);
    const { db } = house.ctx;
    const lose = async (kind: string) =>
      await db.updateTable('room_key_heads').set({ kind }).where('room_id', '=', broken).execute();
    await lose('lost');
    await scene.suspend(ann);
    house.clock.advance(30 * DAY);
    const job = { attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
    const run = async () => await suspendedHandler(house.ctx)(null, job as never);
    await expect(run()).rejects.toThrow('room_key_epochs');
    const back = { ...bob, ...(await anew(scene, bob)) };
    const conversationId = garden.id;
    const next = { conversationId, ...scene.seal(bob, garden, 'After') };
    expect(await refused(house, groups.sendToGroup, back, next)).toBe('409 EPOCH_CLOSED');
    expect((await done(house, groups.showGroup, back, { conversationId: broken })).memberCount).toBe(2);
    await lose('conversation');
    await run();
    expect((await done(house, groups.showGroup, back, { conversationId: broken })).memberCount).toBe(1);
  });
});
