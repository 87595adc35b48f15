import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { parseFrame } from '../../../src/platform/realtime/frames.ts';
import { chatSocketFrames } from '../../../src/services/chat/topics.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat, told, type ChatScene } from './scene.ts';

/** Sends a message as a socket of a member does. */
async function overSocket({ house }: ChatScene, { memberId }: HouseMember, fields: object): Promise<unknown> {
  const rules = new Map(chatSocketFrames(house.ctx).map((one) => [one.frame.type, one]));
  const parsed = parseFrame(JSON.stringify({ type: 'message:send', ...fields }), rules);
  if (!('rules' in parsed)) throw new Error('the frame is wrong');
  const sender = { listener: listenerOf(memberId), subscribe: async () => true, unsubscribe: () => undefined };
  return await parsed.rules.perform(sender, parsed.input);
}

describe.each(bothEngines)('slow mode on %s', (engine) => {
  it('lets members below moderators send one message in so long, by whichever way', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await groupOf(house, [ann, bob, cleo]);
    const send = async (who: HouseMember, content = 'Hello') =>
      await house.perform(groups.sendToGroup, { conversationId, content }, who.token);
    const update = { conversationId, slowModeSeconds: 30 };
    expect(await refused(house, groups.updateGroup, bob, update)).toBe('403 FORBIDDEN');
    const { body: first } = await send(bob);
    expect(await done(house, groups.updateGroup, ann, update)).toEqual({
      id: conversationId,
      name: 'Garden',
      slowModeSeconds: 30,
      retentionMs: null,
    });
    expect(told(house, `conversation:${conversationId}`).at(-1)).toEqual([
      'communication:group_updated',
      expect.objectContaining({ name: 'Garden', slowModeSeconds: 30, updatedBy: ann.memberId }),
    ]);
    const { items: log } = await done(house, moderation.groupLog, ann, { conversationId });
    expect(log[0]).toMatchObject({ action: 'settings', reason: 'slowModeSeconds' });
    expect(await done(house, groups.showGroup, bob, { conversationId })).toMatchObject({ slowModeSeconds: 30 });
    // It counts from the message before it was switched on.
    house.clock.advance(10_500);
    const limited = { status: 429, body: { error: { reason: 'RATE_LIMITED' } } };
    const tooSoon = await send(bob);
    expect(tooSoon).toMatchObject(limited);
    expect(tooSoon.headers.get('retry-after')).toBe('20');
    await expect(overSocket(scene, bob, { conversationId, content: 'Hi', clientId: 'c1' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 20,
    });
    // Edits do not count, neither as messages nor for the wait.
    const edit = { conversationId, messageId: first.data.id, content: 'Hello!' };
    expect(await done(house, messages.groupEditMessage, bob, edit)).toMatchObject({ content: 'Hello!' });
    // Others have their own time, and moderators have none.
    expect((await send(cleo)).status).toBe(201);
    expect(await send(cleo)).toMatchObject(limited);
    for (const content of ['One', 'Two']) expect((await send(ann, content)).status).toBe(201);
    await done(house, members.groupSetRole, ann, { conversationId, memberId: cleo.memberId, role: 'moderator' });
    expect((await send(cleo)).status).toBe(201);
    // Whoever leaves and comes back waits all the same.
    await done(house, members.groupLeave, bob, { conversationId });
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [bob.memberId] });
    expect(await send(bob)).toMatchObject(limited);
    house.clock.advance(19_500);
    expect((await send(bob)).status).toBe(201);
    // Made longer and shorter, it counts from the same message.
    await done(house, groups.updateGroup, ann, { conversationId, slowModeSeconds: 21_600 });
    house.clock.advance(60_000);
    expect((await send(bob)).headers.get('retry-after')).toBe('21540');
    await done(house, groups.updateGroup, ann, { conversationId, slowModeSeconds: 60, name: 'Park' });
    expect((await send(bob)).status).toBe(201);
    expect(await send(bob)).toMatchObject(limited);
    expect(await done(house, groups.updateGroup, ann, { conversationId, slowModeSeconds: 0 })).toMatchObject({
      name: 'Park',
      slowModeSeconds: 0,
    });
    expect((await send(bob)).status).toBe(201);
  });
});

describe.each(engines)('slow mode on %s', (engine) => {
  it('is for channels too, and has bounds', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await channelOf(house, [ann, bob]);
    for (const slowModeSeconds of [-1, 0.5, 21_601, null])
      expect(
        await refused(house, channels.updateChannel, ann, {
          conversationId,
          slowModeSeconds: slowModeSeconds as number,
        }),
      ).toBe('400 VALIDATION_ERROR');
    const changed = await done(house, channels.updateChannel, ann, { conversationId, slowModeSeconds: 10 });
    expect(changed).toMatchObject({ name: 'garden', slowModeSeconds: 10 });
    expect(told(house, `conversation:${conversationId}`).at(-1)).toEqual([
      'communication:channel_updated',
      expect.objectContaining({ slowModeSeconds: 10 }),
    ]);
    const send = { conversationId, content: 'Hello', clientId: 'mine' };
    expect(await done(house, channels.sendToChannel, bob, send)).toMatchObject({ seq: 1 });
    // The same message, sent again, is no other one.
    expect(await done(house, channels.sendToChannel, bob, send)).toMatchObject({ seq: 1 });
    expect(await refused(house, channels.sendToChannel, bob, { ...send, clientId: 'next' })).toBe('429 RATE_LIMITED');
    expect(await done(house, channels.showChannel, bob, { conversationId })).toMatchObject({ slowModeSeconds: 10 });
  });

  it('holds where only members can read', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const conversationId = garden.id;
    await done(house, groups.updateGroup, ann, { conversationId, slowModeSeconds: 10 });
    const send = () => ({ conversationId, ...scene.seal(bob, garden, 'Hello') });
    await done(house, groups.sendToGroup, bob, send());
    expect(await refused(house, groups.sendToGroup, bob, send())).toBe('429 RATE_LIMITED');
    house.clock.advance(10_000);
    expect(await done(house, groups.sendToGroup, bob, send())).toMatchObject({ seq: 2 });
  });
});
