import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { drafts } from '../../../src/contract/chat/drafts.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat, told } from './scene.ts';

const inGroup = async (house: House, who: HouseMember, conversationId: string) =>
  (await done(house, drafts.groupDraft, who, { conversationId })).draft;
const draftRows = async ({ ctx }: House) => await ctx.db.selectFrom('conversation_drafts').selectAll().execute();

describe.each(engines)('drafts on %s', (engine) => {
  it('are one of each member in a conversation, told to their own devices, and gone when they are deleted', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const { conversationId, id } = await scene.say(ann, bob, 'One');
    const before = await scene.stored(bob);
    const show = async (who: HouseMember) => (await done(house, drafts.directDraft, who, { conversationId })).draft;
    const save = async (content: string, more: object = {}) =>
      await done(house, drafts.directSaveDraft, bob, { conversationId, content, ...more });
    expect(await show(bob)).toBeNull();
    await save('Longer than what comes after it');
    house.clock.advance(1000);
    const saved = await save('Tea?', { replyToMessageId: id });
    const updatedAt = new Date(house.clock.now()).toISOString();
    expect(saved).toEqual({ conversationId, content: 'Tea?', replyToMessageId: id, updatedAt });
    expect(await show(bob)).toEqual(saved);
    expect(await show(ann)).toBeNull();
    expect(await refused(house, drafts.directDraft, cleo, { conversationId })).toBe('403 FORBIDDEN');
    expect(await refused(house, drafts.groupDraft, bob, { conversationId })).toBe('404 CONVERSATION_NOT_FOUND');
    const [row, ...others] = await draftRows(house);
    expect(others).toEqual([]);
    expect(Buffer.from(row!.sealed).includes('Tea?')).toBe(false);
    expect(await scene.stored(bob)).toBe(before + row!.sealed.length);
    // What is sent does not change it.
    await scene.say(bob, ann, 'Two');
    expect(await show(bob)).toEqual(saved);
    await done(house, drafts.directDeleteDraft, bob, { conversationId });
    await done(house, drafts.directDeleteDraft, bob, { conversationId });
    expect(await show(bob)).toBeNull();
    expect(await draftRows(house)).toEqual([]);
    const changes = told(house, `inbox:${bob.memberId}`).filter(([name]) => name === 'conversation:draft');
    expect(changes.map(([, data]) => data).slice(1)).toEqual([
      { conversationId, updatedAt },
      { conversationId, updatedAt: null },
    ]);
    expect(told(house, `inbox:${ann.memberId}`).some(([name]) => name === 'conversation:draft')).toBe(false);
    expect(told(house, `conversation:${conversationId}`).some(([name]) => name.includes('draft'))).toBe(false);
  });

  it('are refused without a text, about unknown messages, and beyond the storage of the member', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { conversationId } = await scene.say(ann, bob, 'One');
    const refuse = async (input: object) =>
      await refused(house, drafts.directSaveDraft, ann, { conversationId, ...input });
    expect(await refuse({})).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ content: ' ' })).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ content: 'x'.repeat(8_001) })).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ sealed: Buffer.alloc(32).toString('base64') })).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ content: 'x', replyToMessageId: '0'.repeat(32) })).toBe('404 MESSAGE_NOT_FOUND');
    const full = { bytes: house.ctx.config.storage.perMemberBytes };
    await house.ctx.db.updateTable('member_storage').set(full).where('member_id', '=', ann.memberId).execute();
    expect(await refuse({ content: 'x' })).toBe('413 STORAGE_QUOTA_EXCEEDED');
    expect(await draftRows(house)).toEqual([]);
  });

  it('end with the membership, and do not come back with it', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const conversationId = await groupOf(house, [ann, bob, cleo]);
    const stored = [await scene.stored(bob), await scene.stored(cleo)];
    for (const who of [ann, bob, cleo])
      await done(house, drafts.groupSaveDraft, who, { conversationId, content: `Of ${who.username}` });
    await done(house, moderation.groupKick, ann, { conversationId, memberId: bob.memberId });
    await done(house, members.groupLeave, cleo, { conversationId });
    expect(await refused(house, drafts.groupDraft, bob, { conversationId })).toBe('403 FORBIDDEN');
    expect((await draftRows(house)).map((row) => row.member_id)).toEqual([ann.memberId]);
    expect([await scene.stored(bob), await scene.stored(cleo)]).toEqual(stored);
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [bob.memberId] });
    expect(await inGroup(house, bob, conversationId)).toBeNull();
    expect(await inGroup(house, ann, conversationId)).toMatchObject({ content: 'Of ann' });
  });

  it('go with a conversation that is deleted', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const [group, channel] = [await groupOf(house, [ann, bob]), await channelOf(house, [ann, bob])];
    for (const who of [ann, bob]) {
      await done(house, drafts.groupSaveDraft, who, { conversationId: group, content: 'x' });
      await done(house, drafts.channelSaveDraft, who, { conversationId: channel, content: 'x' });
    }
    await done(house, groups.deleteGroup, ann, { conversationId: group });
    await done(house, channels.deleteChannel, ann, { conversationId: channel });
    expect(await refused(house, drafts.groupDraft, bob, { conversationId: group })).toBe('404 CONVERSATION_NOT_FOUND');
    await scene.later(0);
    expect(await draftRows(house)).toEqual([]);
    expect([await scene.stored(ann), await scene.stored(bob)]).toEqual([0, 0]);
  });

  it('are encrypted by the client where only members can read, and come back as they were', async () => {
    await using scene = await openClients(engine);
    const { ann, bob, house } = scene;
    const { id: conversationId } = await scene.group([ann, bob]);
    const sealed = Buffer.from(house.ctx.random(46_080)).toString('base64');
    const refuse = async (input: object) =>
      await refused(house, drafts.groupSaveDraft, ann, { conversationId, ...input });
    expect(await refuse({ content: 'x' })).toBe('400 CLIENT_ENCRYPTED');
    expect(await refuse({})).toBe('400 VALIDATION_ERROR');
    expect(await refuse({ sealed: Buffer.alloc(46_081).toString('base64') })).toBe('400 VALIDATION_ERROR');
    await done(house, drafts.groupSaveDraft, ann, { conversationId, sealed });
    expect(await inGroup(house, ann, conversationId)).toMatchObject({ content: null, sealed, replyToMessageId: null });
    expect(await inGroup(house, bob, conversationId)).toBeNull();
    const [row] = await draftRows(house);
    expect(Buffer.from(row!.sealed).includes(Buffer.from(sealed.slice(0, 32)))).toBe(false);
    expect(await scene.stored(ann)).toBe(row!.sealed.length);
    // In the row of another member it opens nothing.
    await house.ctx.db.updateTable('conversation_drafts').set({ member_id: bob.memberId }).execute();
    expect(await refused(house, drafts.groupDraft, bob, { conversationId })).toBe('500 STORE_DAMAGED');
  });

  it('open for the member and the conversation alone that they are of', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    await done(house, drafts.groupSaveDraft, ann, { conversationId, content: 'x' });
    await house.ctx.db.updateTable('conversation_drafts').set({ member_id: bob.memberId }).execute();
    expect(await refused(house, drafts.groupDraft, bob, { conversationId })).toBe('500 STORE_DAMAGED');
  });
});
