import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { threads } from '../../../src/contract/chat/threads.ts';
import { retentionHandler } from '../../../src/shared/conversations/retention-job.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
import { done, groupOf, speaking } from './chat-scene.ts';
import { openChat, told } from './scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe.each(bothEngines)('threads whose time is over, on %s', (engine) => {
  it('end with the last of their messages, and until then show what is left', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    await done(house, groups.updateGroup, ann, { conversationId, retentionMs: HOUR });
    const say = speaking(scene.house, conversationId);
    const [short, long, alone] = [await say(ann, 'Short'), await say(ann, 'Long'), await say(ann, 'Alone')];
    await say(bob, 'Answer', short.id);
    await done(house, threads.groupFollowThread, bob, { conversationId, messageId: alone.id, following: true });
    const kept = async () =>
      (await house.ctx.db.selectFrom('conversation_thread_places').selectAll().execute())
        .map((row) => row.thread_id)
        .toSorted();
    expect(await kept()).toEqual([short.id, short.id, alone.id].toSorted());
    await scene.later(HOUR / 2);
    const last = await say(bob, 'Later', long.id);
    await scene.later(HOUR / 2 + 2 * MINUTE);
    await retentionHandler(house.ctx)(null, { signal: new AbortController().signal } as never);
    expect(await kept()).toEqual([long.id, long.id]);
    const list = async () => (await done(house, threads.groupThreads, ann, { conversationId })).items;
    expect(await list()).toMatchObject([
      { threadId: long.id, replyCount: 1, unread: 1, root: { deleted: true, content: null } },
    ]);
    // One that is gone is still answered by its places, as they stand in the conversation.
    const gone = await done(house, threads.groupThread, ann, { conversationId, messageId: short.id });
    expect(gone).toMatchObject({ thread: { replyCount: 1 }, items: [{ deleted: true, content: null }] });
    await scene.later(HOUR);
    await retentionHandler(house.ctx)(null, { signal: new AbortController().signal } as never);
    expect([await list(), await kept()]).toEqual([[], []]);
    expect((await say(bob, 'After all', last.id)).threadId).toBe(long.id);
    expect(await list()).toMatchObject([{ threadId: long.id, replyCount: 2 }]);
  });
});

describe.each(engines)('following a thread on %s', (engine) => {
  it('notifies of answers where only mentions are wanted, until one chooses otherwise, and not of what was read', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await groupOf(house, [ann, bob, cleo]);
    const say = speaking(scene.house, conversationId);
    for (const who of [ann, bob, cleo])
      await done(house, places.groupSettings, who, { conversationId, notifications: 'mentions' });
    const notified = async () => {
      await scene.later(10_000);
      const of = async (who: HouseMember) => (await contents(house, who)).filter((text) => !text.includes('added you'));
      const all = [await of(ann), await of(bob), await of(cleo)];
      await house.ctx.db.deleteFrom('notifications').execute();
      return all;
    };
    const answered = ['cleo answered in a thread that you follow in Garden.'];
    const root = await say(ann, 'Root');
    expect(await notified()).toEqual([[], [], []]);
    const of = { conversationId, messageId: root.id };
    await say(cleo, 'Answer', root.id);
    expect(await notified()).toEqual([answered, [], []]);
    expect(await done(house, threads.groupFollowThread, bob, { ...of, following: true })).toEqual({
      threadId: root.id,
      following: true,
    });
    await done(house, threads.groupFollowThread, bob, { ...of, following: true });
    await say(cleo, 'Another', root.id);
    expect(await notified()).toEqual([answered, answered, []]);
    // Who is named is told that, once.
    await say(cleo, '@bob?', root.id);
    expect(await notified()).toEqual([answered, ['cleo mentioned you in Garden.'], []]);
    // What was read in time is not told, wherever it was read. A choice holds, whatever one says later.
    await say(cleo, 'Read at once', root.id);
    await done(house, threads.groupReadThread, bob, of);
    await done(house, threads.groupFollowThread, ann, { ...of, following: false });
    expect(await notified()).toEqual([[], [], []]);
    await say(ann, 'I say this', root.id);
    const byAnn = ['ann answered in a thread that you follow in Garden.'];
    expect(await notified()).toEqual([[], byAnn, byAnn]);
    expect((await done(house, threads.groupThread, ann, of)).thread.following).toBe(false);
    await done(house, places.groupSettings, bob, { conversationId, notifications: 'none' });
    await say(cleo, 'None', root.id);
    expect(await notified()).toEqual([[], [], []]);
    // Where all is wanted, too.
    await done(house, places.groupSettings, bob, { conversationId, notifications: 'all' });
    await say(cleo, 'All', root.id);
    await done(house, threads.groupReadThread, bob, of);
    expect(await notified()).toEqual([[], [], []]);
    await say(cleo, 'Again', root.id);
    await say(cleo, 'Outside');
    await done(house, threads.groupReadThread, bob, of);
    expect(await notified()).toEqual([[], ['cleo wrote in Garden.'], []]);
    expect(told(house, `inbox:${bob.memberId}`).filter(([name]) => name === 'conversation:thread_followed')).toEqual([
      [
        'conversation:thread_followed',
        { contextType: 'group', contextId: conversationId, conversationId, threadId: root.id, following: true },
      ],
    ]);
  });
});
