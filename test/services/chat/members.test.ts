import { describe, expect, it } from 'vitest';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { social } from '../../../src/contract/social.ts';
import { openHouse } from '../../support/house.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { engines } from '../../support/stores.ts';
import { done, groupOf, refused, sendDirect } from './chat-scene.ts';

describe.each(engines)('members of groups on %s', (engine) => {
  it('are added all or none; who is unknown, suspended or parted by a block is not named, and costs the same', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid, dan, eve, admin] = [
      await house.register(),
      await house.register(),
      await house.register(),
      await house.register(),
      await house.register(),
      await house.administrator(),
    ];
    const conversationId = await groupOf(house, [ann, bob]);
    await done(house, social.block, cid, { id: ann.memberId });
    await done(house, social.block, ann, { id: dan.memberId });
    await house.api('POST', `/api/admin/members/${eve.memberId}/suspend`, { token: admin.token, body: {} });
    const answers = [];
    for (const memberId of [cid.memberId, dan.memberId, eve.memberId, 'ab'.repeat(12)]) {
      const memberIds = [admin.memberId, memberId];
      const { result, statements } = await ownStatements(
        async () => await house.perform(members.groupAddMembers, { conversationId, memberIds }, ann.token),
      );
      answers.push(JSON.stringify([result.status, result.body, statements]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('404');
    expect(answers[0]).toContain('MEMBER_NOT_FOUND');
    const { items } = await done(house, members.groupMembers, ann, { conversationId });
    expect(items.map(({ memberId }) => memberId).toSorted()).toEqual([ann.memberId, bob.memberId].toSorted());
    const again = await house.perform(
      members.groupAddMembers,
      { conversationId, memberIds: [bob.memberId, admin.memberId] },
      ann.token,
    );
    expect(again).toMatchObject({ status: 409, body: { error: { reason: 'ALREADY_IN_ROOM' } } });
    expect(again.body.error.message).toContain(bob.username);
  });

  it('see nothing of what was said while they were away, by no way', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob, cid]);
    const say = async (content: string) => await done(house, groups.sendToGroup, ann, { conversationId, content });
    await say('first');
    await done(house, members.groupLeave, cid, { conversationId });
    const secret = await say('between');
    await done(house, messages.groupPin, ann, { conversationId, messageId: secret.id });
    for (const [operation, input] of [
      [messages.groupMessages, {}],
      [messages.groupMessage, { messageId: secret.id }],
      [messages.groupPins, {}],
      [groups.showGroup, {}],
      [places.groupKeys, {}],
    ] as const)
      expect(await refused(house, operation, cid, { conversationId, ...input })).toBe('403 FORBIDDEN');
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [cid.memberId] });
    const last = await say('last');
    const { items } = await done(house, messages.groupMessages, cid, { conversationId });
    expect(items.map(({ content }) => content)).toEqual(['last']);
    expect((await done(house, messages.groupPins, cid, { conversationId })).items).toEqual([]);
    const of = { conversationId, messageId: secret.id };
    expect(await refused(house, messages.groupMessage, cid, of)).toBe('404 MESSAGE_NOT_FOUND');
    expect(await refused(house, messages.groupReact, cid, { ...of, emoji: '👍' })).toBe('404 MESSAGE_NOT_FOUND');
    const reply = { conversationId, content: 'x', replyToMessageId: secret.id };
    expect(await refused(house, groups.sendToGroup, cid, reply)).toBe('404 MESSAGE_NOT_FOUND');
    const { keys } = await done(house, places.groupKeys, cid, { conversationId });
    expect(keys.map(({ epoch }) => epoch)).toEqual([last.epoch]);
    const group = await done(house, groups.showGroup, cid, { conversationId });
    expect(group).toMatchObject({ unread: 1, lastSeq: 3, lastMessagePreview: 'last' });
  });

  it('are those of the two and more if a conversation of two becomes a group', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const { conversationId } = await sendDirect(house, ann, bob, 'for two');
    const input = { conversationId, newMemberIds: [cid.memberId] };
    expect(await refused(house, direct.promote, cid, input)).toBe('403 FORBIDDEN');
    const group = await done(house, direct.promote, bob, input);
    expect(group).toMatchObject({ groupId: conversationId, promotedFromConversation: conversationId });
    expect(group.name.split(', ').toSorted()).toEqual([ann, bob, cid].map(({ username }) => username).toSorted());
    const roles = Object.fromEntries(group.members.map(({ memberId, role }) => [memberId, role]));
    expect(roles).toEqual({ [bob.memberId]: 'owner', [ann.memberId]: 'admin', [cid.memberId]: 'member' });
    expect((await done(house, messages.groupMessages, ann, { conversationId })).items).toMatchObject([
      { content: 'for two', groupId: conversationId },
    ]);
    expect((await done(house, messages.groupMessages, cid, { conversationId })).items).toEqual([]);
    expect(await refused(house, messages.directMessages, ann, { conversationId })).toBe('404 CONVERSATION_NOT_FOUND');
    const anew = await sendDirect(house, ann, bob, 'again for two');
    expect(anew).toMatchObject({ seq: 1 });
    expect(anew.conversationId).not.toBe(conversationId);
    await done(house, social.block, ann, { id: bob.memberId });
    const parted = { conversationId: anew.conversationId, newMemberIds: [cid.memberId] };
    expect(await refused(house, direct.promote, bob, parted)).toBe('404 MEMBER_NOT_FOUND');
  });

  it('who are banned cannot be added until the ban is over or lifted', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob]);
    const subject = { conversationId, memberId: bob.memberId };
    const add = { conversationId, memberIds: [bob.memberId] };
    await done(house, moderation.groupKick, ann, { ...subject, ban: true, durationMs: 60_000, reason: 'spam' });
    expect(await refused(house, members.groupAddMembers, ann, add)).toBe('409 BANNED_FROM_ROOM');
    house.clock.advance(60_000);
    expect((await done(house, members.groupAddMembers, ann, add)).added).toEqual([bob.memberId]);
    await done(house, moderation.groupBan, ann, subject);
    expect(await refused(house, members.groupAddMembers, ann, add)).toBe('409 BANNED_FROM_ROOM');
    await done(house, moderation.groupUnban, ann, subject);
    await done(house, members.groupAddMembers, ann, add);
  });

  it('are nobody new where only oneself and those who are there are named', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob]);
    expect(await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [ann.memberId] })).toEqual({
      added: [],
    });
    const { conversationId: two } = await sendDirect(house, ann, bob, 'for two');
    const group = await done(house, direct.promote, ann, { conversationId: two, newMemberIds: [bob.memberId] });
    expect(group.members).toHaveLength(2);
  });
});
