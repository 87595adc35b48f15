import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { invites } from '../../../src/contract/chat/invites.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { rounds } from '../../support/stage.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { channelOf, done, refused } from './chat-scene.ts';
import { openChat, type ChatScene } from './scene.ts';

const redeem = async ({ house }: ChatScene, who: ChatScene['ann'], conversationId: string, token: string) => {
  const { status, body } = await house.perform(invites.redeemInvite, { conversationId, inviteToken: token }, who.token);
  return status === 200 ? 'redeemed' : `${status} ${body.error.reason}`;
};
const unknown = 'x'.repeat(32);

describe.each(bothEngines)('invites to channels on %s', (engine) => {
  it('let whoever has one into a channel of any visibility, and are shown without their tokens', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann], { visibility: 'invisible' });
    const made = await house.perform(invites.createInvite, { conversationId, maxUses: 2 }, ann.token);
    expect(made).toMatchObject({
      status: 201,
      body: {
        data: {
          channelId: conversationId,
          maxUses: 2,
          usesRemaining: 2,
          expiresAt: null,
          createdBy: ann.memberId,
          token: expect.stringMatching(/^[\w-]{32}$/),
        },
      },
    });
    const { token, inviteId } = made.body.data as { token: string; inviteId: string };
    expect(await redeem(scene, bob, conversationId, unknown)).toBe('404 INVITE_NOT_FOUND');
    expect(await redeem(scene, bob, '0'.repeat(32), token)).toBe('404 INVITE_NOT_FOUND');
    expect(await redeem(scene, bob, conversationId, token)).toBe('redeemed');
    expect(await redeem(scene, bob, conversationId, token)).toBe('409 ALREADY_IN_ROOM');
    expect(await redeem(scene, bob, conversationId, unknown)).toBe('409 ALREADY_IN_ROOM');
    expect(await done(house, messages.channelMessages, bob, { conversationId })).toMatchObject({ items: [] });
    const { items } = await done(house, invites.invites, ann, { conversationId });
    expect(items).toMatchObject([{ inviteId, usesRemaining: 1 }]);
    expect(JSON.stringify(items)).not.toContain(token);
    await done(house, invites.endInvite, ann, { conversationId, invite: inviteId });
    expect(await refused(house, invites.endInvite, ann, { conversationId, invite: inviteId })).toBe(
      '404 INVITE_NOT_FOUND',
    );
    expect(await redeem(scene, cleo, conversationId, token)).toBe('404 INVITE_NOT_FOUND');
    const log = await done(house, moderation.channelLog, ann, { conversationId });
    expect(log.items.map(({ action }) => action).toSorted()).toEqual(['end_invite', 'invite']);
    // The store has a hash of a token alone, and the log of the server none of it.
    const rows = await house.ctx.db.selectFrom('room_log').selectAll().execute();
    expect(JSON.stringify([rows, house.log.lines])).not.toContain(token);
  });

  it('are over when they have expired or are used up, whoever comes at once', async () => {
    await using scene = await openChat(engine);
    const { house, ann } = scene;
    const conversationId = await channelOf(house, [ann], { visibility: 'secret' });
    const short = await done(house, invites.createInvite, ann, { conversationId, expiresInMs: 60_000 });
    const few = await done(house, invites.createInvite, ann, { conversationId, maxUses: 3 });
    const most = rounds(10, 50);
    const guests = await Promise.all(Array.from({ length: most }, async () => await house.register()));
    const outcomes = await Promise.all(
      guests.map(async (guest) => await redeem(scene, guest, conversationId, few.token)),
    );
    expect(outcomes.filter((outcome) => outcome === 'redeemed')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === '410 INVITE_OVER')).toHaveLength(most - 3);
    expect((await done(house, channels.showChannel, ann, { conversationId })).memberCount).toBe(4);
    const late = guests[outcomes.lastIndexOf('410 INVITE_OVER')]!;
    expect(await done(house, invites.showInvite, late, { conversationId, invite: short.token })).toMatchObject({
      name: 'garden',
      visibility: 'secret',
      memberCount: 4,
    });
    house.clock.advance(60_000);
    expect(await redeem(scene, late, conversationId, short.token)).toBe('410 INVITE_OVER');
    expect(await refused(house, invites.showInvite, late, { conversationId, invite: short.token })).toBe(
      '410 INVITE_OVER',
    );
    expect((await done(house, invites.invites, ann, { conversationId })).items).toEqual([]);
  });
});

describe.each(engines)('invites whose ground is gone on %s', (engine) => {
  it.each(['kicked', 'left', 'lower role', 'suspended', 'blocked', 'blocking'])(
    'are good for nobody: %s',
    async (how) => {
      await using scene = await openChat(engine);
      const { house, ann, bob, cleo } = scene;
      const conversationId = await channelOf(house, [ann, bob], { visibility: 'private' });
      const { memberId } = bob;
      const role = async (wanted: 'admin' | 'member') =>
        await done(house, members.channelSetRole, ann, { conversationId, memberId, role: wanted });
      await role('admin');
      const { token } = await done(house, invites.createInvite, bob, { conversationId });
      expect(await done(house, invites.showInvite, cleo, { conversationId, invite: token })).toMatchObject({
        name: 'garden',
      });
      if (how === 'kicked') await done(house, moderation.channelKick, ann, { conversationId, memberId });
      if (how === 'left') await done(house, members.channelLeave, bob, { conversationId });
      if (how === 'lower role') await role('member');
      if (how === 'suspended') await scene.suspend(bob);
      if (how === 'blocked') await scene.block(cleo, bob);
      if (how === 'blocking') await scene.block(bob, cleo);
      expect(await redeem(scene, cleo, conversationId, token)).toBe('404 INVITE_NOT_FOUND');
      expect(await refused(house, invites.showInvite, cleo, { conversationId, invite: token })).toBe(
        '404 INVITE_NOT_FOUND',
      );
      if (how !== 'lower role') return;
      // It does not come back with the right to make others.
      await role('admin');
      expect(await redeem(scene, cleo, conversationId, token)).toBe('404 INVITE_NOT_FOUND');
    },
  );

  it('keep those out who are banned, and say nothing of an invisible channel', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann], { visibility: 'invisible' });
    const { token } = await done(house, invites.createInvite, ann, { conversationId });
    const look = { conversationId, invite: token };
    const shown = await house.perform(invites.showInvite, look, bob.token);
    const none = await house.perform(invites.showInvite, { ...look, invite: unknown }, bob.token);
    expect(`${shown.status} ${shown.body.error.reason}`).toBe('404 INVITE_NOT_FOUND');
    expect(shown.body).toEqual(none.body);
    await done(house, moderation.channelBan, ann, { conversationId, memberId: cleo.memberId });
    expect(await redeem(scene, cleo, conversationId, token)).toBe('403 FORBIDDEN');
    expect(await redeem(scene, bob, conversationId, token)).toBe('redeemed');
  });

  it('are as many as a channel has room for, and those that are over make room', async () => {
    await using scene = await openChat(engine);
    const { house, ann } = scene;
    const conversationId = await channelOf(house, [ann]);
    const { inviteId } = await done(house, invites.createInvite, ann, { conversationId, expiresInMs: 60_000 });
    const { db } = house.ctx;
    const row = await db.selectFrom('room_invites').selectAll().where('id', '=', inviteId).executeTakeFirstOrThrow();
    const others = Array.from({ length: chatLimits.invites - 1 }, (_, at) => {
      const id = at.toString(16).padStart(32, '0');
      return { ...row, id, token_hash: id.repeat(2), expires_at: null };
    });
    await db.insertInto('room_invites').values(others).execute();
    expect(await refused(house, invites.createInvite, ann, { conversationId })).toBe('409 INVITES_FULL');
    house.clock.advance(60_000);
    await done(house, invites.createInvite, ann, { conversationId });
    expect((await done(house, invites.invites, ann, { conversationId })).items).toHaveLength(chatLimits.invites);
  });
});
