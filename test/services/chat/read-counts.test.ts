import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { threads } from '../../../src/contract/chat/threads.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, done } from './chat-scene.ts';
import { openChat } from './scene.ts';

describe.each(bothEngines)('receipts where many are on %s', (engine) => {
  it('are a number that only the sender sees, of those who show it, without whom a block parts from them', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann, bob, cleo]);
    const say = async (who: HouseMember, content: string, replyToMessageId?: string) =>
      await done(house, channels.sendToChannel, who, { conversationId, content, replyToMessageId });
    const first = await say(ann, 'One');
    await say(ann, 'Two', first.id);
    await say(bob, 'Three');
    await done(house, places.channelRead, bob, { conversationId });
    await done(house, places.channelRead, cleo, { conversationId, seq: 1 });
    const counts = async (who: HouseMember) =>
      (await done(house, messages.channelMessages, who, { conversationId })).items.map(({ readBy }) => readBy);
    const none = [undefined, undefined, undefined];
    // Few are named by `receipts`.
    expect(await counts(ann)).toEqual(none);
    await house.ctx.db.updateTable('rooms').set({ member_count: 51 }).where('id', '=', conversationId).execute();
    // Who comes later has not read what was said before.
    const late = await house.register();
    await done(house, channels.joinChannel, late, { conversationId });
    expect(await counts(ann)).toEqual([2, 1, undefined]);
    expect(await counts(bob)).toEqual([undefined, undefined, 0]);
    expect(await counts(late)).toEqual(none);
    const of = { conversationId, messageId: first.id };
    expect((await done(house, messages.channelMessage, ann, of)).readBy).toBe(2);
    expect((await done(house, threads.channelThread, ann, of)).items.map(({ readBy }) => readBy)).toEqual([1]);
    const show = async ({ memberId, token }: HouseMember, showReadReceipts: boolean) => {
      const body = { privacySettings: { showReadReceipts } };
      const { status } = await house.api('PUT', `/api/social/users/${memberId}`, { token, body });
      expect(status).toBe(200);
    };
    await show(bob, false);
    expect(await counts(ann)).toEqual([1, 0, undefined]);
    expect(await counts(bob)).toEqual(none);
    await scene.block(cleo, ann);
    expect(await counts(ann)).toEqual([0, 0, undefined]);
    await scene.unblock(cleo, ann);
    await show(bob, true);
    expect(await counts(ann)).toEqual([2, 1, undefined]);
    await show(ann, false);
    expect(await counts(ann)).toEqual(none);
  });
});
