import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { threads } from '../../../src/contract/chat/threads.ts';
import { social } from '../../../src/contract/social.ts';
import { openHouse } from '../../support/house.ts';
import { conversationAsHeard } from '../../../src/shared/conversations/events.ts';
import { engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { done, groupOf, refused, speaking } from './chat-scene.ts';

const MINUTE = 60_000;

describe.each(engines)('moderators of groups on %s', (engine) => {
  it('mute members, who then say nothing in any way, also after they leave and come back, until it is over', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob]);
    const own = await done(house, groups.sendToGroup, bob, { conversationId, content: 'before' });
    const subject = { conversationId, memberId: bob.memberId };
    const muted = await done(house, moderation.groupMute, ann, { ...subject, durationMs: MINUTE, reason: 'noise' });
    expect(muted.until).toBe(new Date(house.clock.now() + MINUTE).toISOString());
    const of = { conversationId, messageId: own.id };
    const isMute = async () => {
      const said = [
        await refused(house, groups.sendToGroup, bob, { conversationId, content: 'x' }),
        await refused(house, messages.groupEditMessage, bob, { ...of, content: 'x' }),
        await refused(house, messages.groupReact, bob, { ...of, emoji: '👍' }),
        await refused(house, places.groupTyping, bob, { conversationId }),
      ];
      expect(new Set(said)).toEqual(new Set(['403 FORBIDDEN']));
    };
    await isMute();
    await done(house, members.groupLeave, bob, { conversationId });
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [bob.memberId] });
    expect(await refused(house, groups.sendToGroup, bob, { conversationId, content: 'x' })).toBe('403 FORBIDDEN');
    house.clock.advance(MINUTE);
    await done(house, groups.sendToGroup, bob, { conversationId, content: 'x' });
    await done(house, moderation.groupMute, ann, { ...subject, durationMs: MINUTE });
    await done(house, moderation.groupUnmute, ann, subject);
    await done(house, groups.sendToGroup, bob, { conversationId, content: 'y' });
    expect(await refused(house, moderation.groupMute, ann, { ...subject, durationMs: 366 * 86_400_000 })).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  it('leave what they do in a log, the latest first, and see who is banned', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob, cid]);
    const { id: messageId } = await done(house, groups.sendToGroup, bob, { conversationId, content: 'rude' });
    await done(house, messages.groupDeleteMessage, ann, { conversationId, messageId });
    const subject = { conversationId, memberId: bob.memberId };
    house.clock.advance(1);
    await done(house, members.groupSetRole, ann, { conversationId, memberId: cid.memberId, role: 'moderator' });
    house.clock.advance(1);
    await done(house, moderation.groupKick, cid, { ...subject, ban: true, durationMs: MINUTE, reason: 'rude' });
    const { items, hasMore } = await done(house, moderation.groupLog, cid, { conversationId, limit: 3 });
    expect(hasMore).toBe(false);
    expect(items).toMatchObject([
      { action: 'ban', actorId: cid.memberId, subjectId: bob.memberId, reason: 'rude' },
      { action: 'role', actorId: ann.memberId, subjectId: cid.memberId, reason: 'moderator' },
      { action: 'delete_message', actorId: ann.memberId, subjectId: bob.memberId, messageId },
    ]);
    const bans = await done(house, moderation.groupBans, cid, { conversationId });
    const endsAt = new Date(house.clock.now() + MINUTE).toISOString();
    expect(bans).toMatchObject({ items: [{ memberId: bob.memberId, bannedBy: cid.memberId, endsAt }], cursor: null });
    house.clock.advance(MINUTE);
    expect((await done(house, moderation.groupBans, cid, { conversationId })).items).toEqual([]);
    expect(await refused(house, moderation.groupUnban, cid, subject)).toBe('404 BAN_NOT_FOUND');
  });

  it('see what members say from whom a block parts them; other members see that something was said', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob, cid]);
    await done(house, social.block, bob, { id: cid.memberId });
    await done(house, social.block, ann, { id: cid.memberId });
    const said = await done(house, groups.sendToGroup, cid, { conversationId, content: `hello @${bob.username}` });
    const of = { conversationId, messageId: said.id };
    const [seen] = (await done(house, messages.groupMessages, bob, { conversationId })).items;
    expect(seen).toMatchObject({ id: said.id, hidden: true, content: null, encryptedContent: null, seq: 1 });
    expect(await done(house, messages.groupMessage, bob, of)).toMatchObject({ hidden: true, content: null });
    const group = await done(house, groups.showGroup, bob, { conversationId });
    expect(group).toMatchObject({ unread: 1, mentionCount: 0, lastMessagePreview: null });
    expect(await refused(house, messages.groupReact, bob, { ...of, emoji: '👍' })).toBe('404 MESSAGE_NOT_FOUND');
    expect(await done(house, messages.groupMessage, ann, of)).toMatchObject({ content: said.content });
    // Who sees the message is told that a reaction is another's, and who does not see it nothing.
    const { reactionId } = await done(house, messages.groupReact, cid, { ...of, emoji: '👍' });
    expect(await refused(house, messages.groupUnreact, ann, { ...of, reactionId })).toBe('403 FORBIDDEN');
    expect(await refused(house, messages.groupUnreact, bob, { ...of, reactionId })).toBe('404 REACTION_NOT_FOUND');
    const event = { name: 'communication:message_sent', data: JSON.stringify({ messageId: said.id }) };
    const [heard] = await conversationAsHeard(house.ctx)(`conversation:${conversationId}`, [event]);
    expect(heard?.data).toContain(said.content);
    expect(heard?.withheldFrom).toEqual([bob.memberId]);
  });

  it('no message names whom a block parts from its sender, not with @all either, nor once it is there', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob, cid]);
    const say = speaking(house, conversationId);
    const root = await say(ann, 'Who comes?');
    await done(house, social.block, bob, { id: cid.memberId });
    await say(cid, 'Dinner, @all!');
    await say(cid, 'Here too, @all', root.id);
    const named = async (who: HouseMember) => {
      const { items } = await done(house, threads.groupThreads, who, { conversationId });
      const { mentionCount } = await done(house, groups.showGroup, who, { conversationId });
      return [mentionCount, ...items.map((thread) => thread.mentionCount)];
    };
    expect([await named(ann), await named(bob)]).toEqual([
      [2, 1],
      [0, 0],
    ]);
    await done(house, social.unblock, bob, { id: cid.memberId });
    await say(cid, `Sorry, @${bob.username}`);
    await say(cid, `So sorry, @${bob.username}`, root.id);
    expect(await named(bob)).toEqual([4, 2]);
    // Also if the sender blocks whom they named, and for a moderator, who sees what was said.
    await done(house, members.groupSetRole, ann, { conversationId, memberId: bob.memberId, role: 'moderator' });
    await done(house, social.block, cid, { id: bob.memberId });
    expect(await named(bob)).toEqual([0, 0]);
  });
});
