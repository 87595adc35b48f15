import { describe, expect, it } from 'vitest';
import { drafts } from '../../../src/contract/chat/drafts.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { scheduled } from '../../../src/contract/chat/scheduled.ts';
import { scheduledHandler } from '../../../src/shared/conversations/unsent/due.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openChat, said } from './scene.ts';
import { ahead, became, listOf, minute, notified, rows, textsIn } from './scheduled-scene.ts';

describe.each(engines)('scheduled messages that are not sent, on %s', (engine) => {
  it('go back to their sender if they are refused: the first as the draft, others as failed', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    for (const at of [1, 2])
      await done(house, scheduled.groupSchedule, bob, {
        conversationId,
        content: `Text ${at}`,
        sendAt: ahead(house, at * minute),
      });
    const stored = await scene.stored(bob);
    await done(house, moderation.groupMute, ann, { conversationId, memberId: bob.memberId, durationMs: 3 * minute });
    for (const _ of [1, 2]) await scene.later(minute);
    expect(await textsIn(house, ann, conversationId)).toEqual([]);
    expect((await done(house, drafts.groupDraft, bob, { conversationId })).draft).toMatchObject({ content: 'Text 1' });
    const [failed, ...others] = await listOf(house, bob);
    expect(others).toEqual([]);
    expect(failed).toMatchObject({ content: 'Text 2', status: 'failed', reason: 'FORBIDDEN' });
    expect(await scene.stored(bob)).toBe(stored);
    expect(became(house, bob).slice(2)).toEqual([
      ['drafted', 'FORBIDDEN'],
      ['failed', 'FORBIDDEN'],
    ]);
    const alerts = await notified(house, bob);
    expect(alerts).toHaveLength(2);
    expect(alerts.filter((text) => text.includes('You are muted here until'))).toHaveLength(2);
    await scene.later(minute);
    const scheduledId = failed!.id;
    const change = { scheduledId, content: 'Text 3' };
    expect(await refused(house, scheduled.changeScheduled, bob, change)).toBe('400 VALIDATION_ERROR');
    const again = await done(house, scheduled.changeScheduled, bob, { scheduledId, sendAt: ahead(house, minute) });
    expect(again).toMatchObject({ content: 'Text 2', status: 'waiting', reason: null });
    await scene.later(minute);
    expect(await textsIn(house, ann, conversationId)).toEqual(['Text 2']);
  });

  it('fail with the membership, lose their text then, and are not sent to who comes back', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    for (const content of ['One', 'Two'])
      await done(house, scheduled.groupSchedule, bob, { conversationId, content, sendAt: ahead(house, minute) });
    await done(house, moderation.groupKick, ann, { conversationId, memberId: bob.memberId });
    const gone = { content: null, status: 'failed', reason: 'FORBIDDEN' };
    expect(await listOf(house, bob)).toMatchObject([gone, gone]);
    expect((await rows(house)).map(({ sealed, bytes }) => [sealed, bytes])).toEqual([
      [null, 0],
      [null, 0],
    ]);
    expect(await scene.stored(bob)).toBe(0);
    expect(await notified(house, bob)).toEqual([
      '2 messages that you had scheduled are not sent: you are not in their conversation any more.',
    ]);
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [bob.memberId] });
    await scene.later(minute);
    expect(await textsIn(house, ann, conversationId)).toEqual([]);
    const scheduledId = (await listOf(house, bob))[0]!.id;
    const sendAt = ahead(house, minute);
    expect(await refused(house, scheduled.changeScheduled, bob, { scheduledId, sendAt })).toBe('400 VALIDATION_ERROR');
    await done(house, groups.deleteGroup, ann, { conversationId });
    await scene.later(0);
    expect(await rows(house)).toEqual([]);
  });

  it('are held back by a block, a full storage, too many messages and a suspension', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const { conversationId } = await sendDirect(house, ann, bob, 'One');
    const { conversationId: other } = await sendDirect(house, ann, cleo, 'One');
    const schedule = async (id: string) =>
      await done(house, scheduled.directSchedule, ann, {
        conversationId: id,
        content: 'Two',
        sendAt: ahead(house, minute),
      });
    const draftIn = async (who: HouseMember, id: string) =>
      (await done(house, drafts.directDraft, who, { conversationId: id })).draft?.content;
    await schedule(conversationId);
    await scene.block(bob, ann);
    await scene.later(minute);
    expect(became(house, ann).at(-1)).toEqual(['drafted', 'MEMBER_NOT_FOUND']);
    expect(await draftIn(ann, conversationId)).toBe('Two');
    await schedule(other);
    const { perMemberBytes } = house.ctx.config.storage;
    const bytesBefore = await scene.stored(ann);
    const store = async (bytes: number) =>
      await house.ctx.db.updateTable('member_storage').set({ bytes }).where('member_id', '=', ann.memberId).execute();
    // Its own bytes are counted, so it may be sent with the last of them.
    await store(perMemberBytes + 1);
    await scene.later(minute);
    expect(became(house, ann).at(-1)).toEqual(['drafted', 'STORAGE_QUOTA_EXCEEDED']);
    await store(bytesBefore);
    await done(house, drafts.directDeleteDraft, ann, { conversationId: other });
    await schedule(other);
    await store(perMemberBytes);
    await scene.later(minute);
    expect(became(house, ann).at(-1)).toEqual(['sent', null]);
    await store(0);
    await schedule(other);
    const busy = { busy_until: house.clock.now() + 5 * minute };
    await house.ctx.db.updateTable('conversation_places').set(busy).where('member_id', '=', ann.memberId).execute();
    await scene.later(minute);
    expect(became(house, ann).at(-1)).toEqual(['drafted', 'RATE_LIMITED']);
    await done(house, drafts.directDeleteDraft, ann, { conversationId: other });
    await schedule(other);
    await scene.suspend(ann);
    await scene.later(minute);
    expect(became(house, ann).at(-1)).toEqual(['drafted', 'FORBIDDEN']);
  });

  it('stop no other if one of them is damaged, or fails again and again', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    for (const content of ['One', 'Two', 'Three'])
      await done(house, scheduled.groupSchedule, ann, { conversationId, content, sendAt: ahead(house, minute) });
    const [one, two] = await rows(house);
    const damaged = { sealed: new Uint8Array(64).fill(1) };
    await house.ctx.db.updateTable('conversation_scheduled').set(damaged).where('id', '=', one!.id).execute();
    house.clock.advance(minute);
    house.spoil();
    const run = async (attempt: number) => await scheduledHandler(house.ctx)({ id: two!.id }, { attempt } as never);
    await expect(run(1)).rejects.toThrow('made by a test');
    house.spoil();
    await run(10);
    expect((await done(house, drafts.groupDraft, ann, { conversationId })).draft).not.toBeNull();
    await scene.later(0);
    expect(await textsIn(house, bob, conversationId)).toHaveLength(1);
    expect(await listOf(house, ann)).toMatchObject([{ id: one!.id, content: null, reason: 'STORE_DAMAGED' }]);
    const [first, ...others] = became(house, ann).slice(3);
    expect(first).toEqual(['drafted', 'INTERNAL_ERROR']);
    // They run at the same time.
    expect(others.toSorted()).toEqual([
      ['failed', 'STORE_DAMAGED'],
      ['sent', null],
    ]);
  });

  it('are sent by somebody who has sent them already, and then not again', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const input = { conversationId, content: 'Once', clientId: 'once' };
    await done(house, scheduled.groupSchedule, ann, { ...input, sendAt: ahead(house, minute) });
    await done(house, groups.sendToGroup, ann, input);
    const stored = await scene.stored(ann);
    const { bytes } = (await rows(house))[0]!;
    await scene.later(minute);
    expect(await textsIn(house, bob, conversationId)).toEqual(['Once']);
    expect(await scene.stored(ann)).toBe(stored - bytes);
    expect(said(await house.api('GET', '/api/chat/scheduled'))).toBe('401 UNAUTHORIZED');
  });
});
