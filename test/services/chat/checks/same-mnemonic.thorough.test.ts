import { describe, expect, it } from 'vitest';
import { bots } from '../../../../src/contract/chat/bots.ts';
import { drafts } from '../../../../src/contract/chat/drafts.ts';
import { groups } from '../../../../src/contract/chat/groups.ts';
import { leaving } from '../../../../src/contract/chat/leaving.ts';
import { members } from '../../../../src/contract/chat/members.ts';
import { messages } from '../../../../src/contract/chat/messages.ts';
import { places } from '../../../../src/contract/chat/places.ts';
import { scheduled } from '../../../../src/contract/chat/scheduled.ts';
import { direct } from '../../../../src/contract/chat/direct.ts';
import { bothEngines } from '../../../support/stores.ts';
import { runDueJobs } from '../../quorum/due-jobs.ts';
import { channelOf, done, groupOf, refused, sendDirect } from '../chat-scene.ts';
import { openClients } from '../client-scene.ts';

const HOUR = 3_600_000;

describe.each(bothEngines)('an account that is made again with the same recovery phrase, on %s', (engine) => {
  it('has the same id and key, and nothing of the conversations of the earlier one', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const group = await groupOf(house, [bob, ann]);
    const channel = await channelOf(house, [bob, ann]);
    const garden = await scene.group([bob, ann]);
    const { conversationId: pair } = await sendDirect(house, bob, ann, 'Between us');
    const old = await done(house, groups.sendToGroup, ann, { conversationId: group, content: 'Hers' });
    await done(house, groups.sendToGroup, bob, { conversationId: garden.id, ...scene.seal(bob, garden, 'Sealed') });
    await done(house, drafts.groupSaveDraft, ann, { conversationId: group, content: 'A draft' });
    const sendAt = new Date(house.clock.now() + HOUR).toISOString();
    await done(house, scheduled.groupSchedule, ann, { conversationId: group, content: 'Later', sendAt });
    const scopes = [`chat:${group}:write`];
    const { token: bot } = await done(house, bots.createBot, ann, { name: 'deploys', scopes });
    await done(house, leaving.leaveAll, ann, { password: ann.password });
    await runDueJobs(scene, 'chat');
    await house.ctx.store.transaction(async (db) => {
      await db.deleteFrom('members').where('id', '=', ann.memberId).execute();
    });
    const { username, email, mnemonic, password } = ann;
    const again = await scene.client(await house.register({ username, email, mnemonic, password }));
    expect(again.memberId).toBe(ann.memberId);
    // What the earlier one held opens nothing.
    for (const token of [ann.token, bot]) {
      const answer = await house.perform(messages.groupMessages, { conversationId: group }, token);
      expect([answer.status, answer.body.error?.reason]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await done(house, bots.bots, again, {})).items).toEqual([]);
    expect((await done(house, direct.listConversations, again, {})).items).toEqual([]);
    expect((await done(house, groups.listGroups, again, {})).items).toEqual([]);
    expect((await done(house, scheduled.listScheduled, again, {})).items).toEqual([]);
    expect(await refused(house, messages.directMessages, again, { conversationId: pair })).toBe(
      '404 CONVERSATION_NOT_FOUND',
    );
    for (const conversationId of [group, garden.id])
      for (const operation of [messages.groupMessages, places.groupKeys, drafts.groupDraft, members.groupMembers])
        expect(await refused(house, operation, again, { conversationId }), operation.id).toBe('403 FORBIDDEN');
    expect(await refused(house, places.channelKeys, again, { conversationId: channel })).toBe('403 FORBIDDEN');
    // Who is let in again sees what is said from then on, and is not the sender of what was before.
    await done(house, members.groupAddMembers, bob, { conversationId: group, memberIds: [again.memberId] });
    const of = { conversationId: group, messageId: old.id };
    expect(await refused(house, messages.groupEditMessage, again, { ...of, content: 'Mine' })).toBe(
      '404 MESSAGE_NOT_FOUND',
    );
    const before = (await done(house, messages.groupMessages, bob, { conversationId: group })).items;
    expect(before.map(({ senderId, content }) => [senderId === again.memberId, content])).toEqual([[false, null]]);
    await done(house, groups.sendToGroup, bob, { conversationId: group, content: 'Welcome back' });
    const seen = (await done(house, messages.groupMessages, again, { conversationId: group })).items;
    expect(seen.map(({ content }) => content)).toEqual(['Welcome back']);
    // Only keys that are made from then on are encrypted to them, where only members have the keys.
    const next = scene.makeKey(bob, garden.id, [bob, again], garden.key.sent);
    const add = { conversationId: garden.id, memberIds: [again.memberId], epoch: next.sent };
    await done(house, members.groupAddMembers, bob, add);
    const { keys } = await done(house, places.groupKeys, again, { conversationId: garden.id });
    expect(keys.map(({ epoch }) => epoch)).toEqual([2]);
    expect((await done(house, messages.groupMessages, again, { conversationId: garden.id })).items).toEqual([]);
    expect(await sendDirect(house, cleo, again, 'Hello')).toMatchObject({ seq: 1 });
  });
});
