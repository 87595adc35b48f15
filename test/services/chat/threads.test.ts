import { describe, expect, it } from 'vitest';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { threads } from '../../../src/contract/chat/threads.ts';
import { ownStatements } from '../../support/own-statements.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { done, groupOf, refused, speaking } from './chat-scene.ts';
import { openChat, told } from './scene.ts';

describe.each(bothEngines)('threads on %s', (engine) => {
  it('have all answers of a message and of its answers, with an unread count of their own', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await groupOf(house, [ann, bob, cleo]);
    const say = speaking(scene.house, conversationId);
    const list = async (who: HouseMember, more: object = {}) =>
      await done(house, threads.groupThreads, who, { conversationId, ...more });
    const brief = async (who: HouseMember, more: object = {}) =>
      (await list(who, more)).items.map((one) => [one.root.content, one.replyCount, one.unread, one.following]);

    const tea = await say(ann, 'Tea?');
    expect(tea).not.toHaveProperty('threadId');
    expect(tea).not.toHaveProperty('replyCount');
    expect(await list(bob)).toEqual({ items: [], cursor: null, hasMore: false });
    const cake = await say(bob, 'Cake?');
    const yes = await say(bob, 'Yes', tea.id);
    expect(yes).toMatchObject({ replyToMessageId: tea.id, threadId: tea.id });
    const deeper = await say(ann, 'At four', yes.id);
    expect(deeper).toMatchObject({ replyToMessageId: yes.id, threadId: tea.id });
    const jam = await say(ann, 'With jam', cake.id);
    await say(ann, 'And something else');

    expect(await brief(cleo)).toEqual([
      ['Cake?', 1, 1, false],
      ['Tea?', 2, 2, false],
    ]);
    // Whoever wrote, answered or began it follows; whoever wrote last has read all.
    expect(await brief(ann)).toEqual([
      ['Cake?', 1, 0, true],
      ['Tea?', 2, 0, true],
    ]);
    expect(await brief(bob)).toEqual([
      ['Cake?', 1, 1, true],
      ['Tea?', 2, 1, true],
    ]);
    const [newest] = (await list(bob)).items;
    expect(newest).toEqual({
      threadId: cake.id,
      root: expect.objectContaining({ id: cake.id, replyCount: 1 }),
      replyCount: 1,
      lastSeq: jam.seq,
      lastReplyAt: jam.createdAt,
      unread: 1,
      mentionCount: 0,
      following: true,
    });
    const all = await done(house, messages.groupMessages, bob, { conversationId });
    expect(all.items.map(({ replyCount, threadId }) => [replyCount, threadId])).toEqual([
      [2, undefined],
      [1, undefined],
      [undefined, tea.id],
      [undefined, tea.id],
      [undefined, cake.id],
      [undefined, undefined],
    ]);

    // A thread that is read alone is read, and nothing else.
    const of = { conversationId, messageId: tea.id };
    const group = async () => (await done(house, groups.showGroup, cleo, { conversationId })).unread;
    expect(await group()).toBe(6);
    expect(await done(house, threads.groupReadThread, cleo, { ...of, seq: yes.seq })).toEqual({
      threadId: tea.id,
      seq: yes.seq,
      unread: 1,
      mentionCount: 0,
    });
    expect(await brief(cleo, { unread: 'true' })).toEqual([
      ['Cake?', 1, 1, false],
      ['Tea?', 2, 1, false],
    ]);
    // Any answer names the thread, what was read stays read, and nothing is beyond the last answer.
    const answers = [
      await done(house, threads.groupReadThread, cleo, { conversationId, messageId: yes.id }),
      await done(house, threads.groupReadThread, cleo, { ...of, seq: 1 }),
      await done(house, threads.groupReadThread, cleo, { ...of, seq: 1_000_000 }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ threadId: tea.id, seq: deeper.seq, unread: 0 });
    expect(await brief(cleo, { unread: 'true' })).toEqual([['Cake?', 1, 1, false]]);
    expect(await group()).toBe(6);
    expect(told(house, `inbox:${cleo.memberId}`).filter(([name]) => name === 'conversation:thread_read')).toEqual([
      [
        'conversation:thread_read',
        expect.objectContaining({ conversationId, threadId: tea.id, seq: yes.seq, unread: 1 }),
      ],
      [
        'conversation:thread_read',
        {
          contextType: 'group',
          contextId: conversationId,
          conversationId,
          threadId: tea.id,
          seq: deeper.seq,
          unread: 0,
          mentionCount: 0,
        },
      ],
    ]);
    // Whoever reads the conversation has read its threads.
    await done(house, places.groupRead, bob, { conversationId });
    expect(await brief(bob, { unread: 'true' })).toEqual([]);
    await say(bob, '@cleo knows', tea.id);
    expect(await brief(cleo, { following: 'true' })).toEqual([['Tea?', 3, 1, true]]);
    expect((await list(cleo, { following: 'true', unread: 'true' })).items[0]).toMatchObject({ mentionCount: 1 });
    await done(house, messages.groupDeleteMessage, bob, { conversationId, messageId: yes.id });
    expect(await brief(cleo)).toEqual([
      ['Tea?', 3, 1, true],
      ['Cake?', 1, 1, false],
    ]);
  });

  it('come in pages, as many statements each, and so do their answers', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const say = speaking(scene.house, conversationId);
    const began: ChatMessage[] = [];
    for (const content of ['a', 'b', 'c', 'd']) began.push(await say(ann, content));
    for (const at of [2, 0, 3, 0, 1]) await say(bob, '@ann', began[at]!.id);
    const list = async (more: object) => await done(house, threads.groupThreads, ann, { conversationId, ...more });
    const whole = await list({});
    expect(whole.items.map(({ root }) => root.content)).toEqual(['b', 'a', 'd', 'c']);
    expect(whole.items.map(({ mentionCount }) => mentionCount)).toEqual([1, 2, 1, 1]);
    for (const filter of [
      {},
      { following: 'true' },
      { unread: 'true' },
      { following: 'true', unread: 'true' },
    ] as const) {
      const first = await list({ ...filter, limit: 3 });
      const second = await list({ ...filter, limit: 3, cursor: first.cursor });
      expect([...first.items, ...second.items]).toEqual(whole.items);
      expect([first.hasMore, second.hasMore, second.cursor]).toEqual([true, false, null]);
      const few = await ownStatements(async () => await list({ ...filter, limit: 1 }));
      const many = await ownStatements(async () => await list(filter));
      expect(many.statements.length).toBe(few.statements.length);
      const other = { conversationId, ...filter, cursor: first.cursor! };
      expect(await refused(house, threads.groupThreads, bob, other)).toBe('400 INVALID_CURSOR');
    }
    const { cursor } = await list({ limit: 1 });
    expect(await refused(house, threads.groupThreads, ann, { conversationId, unread: 'true', cursor: cursor! })).toBe(
      '400 INVALID_CURSOR',
    );
    expect(await list({ following: 'false', unread: 'false' })).toEqual(whole);

    const root = began[0]!;
    for (let at = 0; at < 3; at += 1) await say(at % 2 === 0 ? ann : bob, `${at}`, root.id);
    const page = async (more: object) =>
      await done(house, threads.groupThread, ann, { conversationId, messageId: root.id, ...more });
    const texts = ({ items }: { items: readonly ChatMessage[] }) => items.map(({ content }) => content);
    expect(texts(await page({}))).toEqual(['@ann', '@ann', '0', '1', '2']);
    const newest = await page({ limit: 2 });
    expect(newest).toMatchObject({
      hasMore: true,
      thread: { threadId: root.id, replyCount: 5, root: { content: 'a' } },
    });
    expect(texts(newest)).toEqual(['1', '2']);
    const older = await page({ limit: 2, cursor: newest.cursor });
    expect(texts(older)).toEqual(['@ann', '0']);
    expect(texts(await page({ limit: 2, cursor: older.cursor }))).toEqual(['@ann']);
    expect(texts(await page({ after: older.items.at(-1)!.seq }))).toEqual(['1', '2']);
    expect(texts(await page({ after: older.items[0]!.seq, limit: 1 }))).toEqual(['0']);
    // A cursor is for one thread.
    const elsewhere = { conversationId, messageId: began[1]!.id, cursor: newest.cursor! };
    expect(await refused(house, threads.groupThread, ann, elsewhere)).toBe('400 INVALID_CURSOR');
  });

  it('cost a message that answers nothing no statement, and an answer two', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const say = speaking(scene.house, conversationId);
    const root = await say(ann, 'Root');
    const costs = async (reply?: string) => (await ownStatements(async () => await say(ann, 'More', reply))).statements;
    await costs();
    const plain = await costs();
    expect(
      plain.filter(
        (sql) => /thread_places|reply_count/.test(sql) && !sql.includes('insert into "conversation_messages"'),
      ),
    ).toEqual([]);
    await costs(root.id);
    // One of them reads what is answered.
    expect((await costs(root.id)).length - plain.length).toBe(3);
  });

  it('are erased with what they are about: memberships and conversations', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await groupOf(house, [ann, bob, cleo]);
    const say = speaking(scene.house, conversationId);
    const kept = async () => {
      const rows = await house.ctx.db.selectFrom('conversation_thread_places').selectAll().execute();
      const names = new Map([ann, bob, cleo].map(({ memberId, username }) => [memberId, username]));
      return rows.map((row) => names.get(row.member_id)).toSorted();
    };
    const root = await say(bob, 'Root');
    const answer = await say(ann, 'Answer', root.id);
    await say(cleo, 'Another', answer.id);
    expect(await kept()).toEqual(['ann', 'bob', 'cleo']);
    await done(house, members.groupLeave, bob, { conversationId });
    expect(await kept()).toEqual(['ann', 'cleo']);
    // Nobody who has left follows what is answered to them.
    const late = await say(ann, 'And now?', root.id);
    await say(ann, 'Still there?', late.id);
    expect(await kept()).toEqual(['ann', 'cleo']);
    await done(house, moderation.groupBan, ann, { conversationId, memberId: cleo.memberId });
    expect(await kept()).toEqual(['ann']);
    await done(house, groups.deleteGroup, ann, { conversationId });
    await scene.later(0);
    expect(await kept()).toEqual([]);
  });
});

describe.each(engines)('who may see a thread on %s', (engine) => {
  it('is who may see the messages: others get the same answers as for these', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await groupOf(house, [ann, bob, cleo]);
    const dan = await house.register({ username: 'dan' });
    const say = speaking(scene.house, conversationId);
    const root = await say(ann, 'Root');
    const answer = await say(bob, 'Answer', root.id);
    await done(house, members.groupLeave, cleo, { conversationId });
    const other = await scene.say(ann, bob, 'In another conversation');
    await scene.say(bob, ann, 'There', { replyToMessageId: other.id });

    const each = (at: string, messageId: string) =>
      [
        [threads.groupThread, { conversationId: at, messageId }],
        [threads.groupReadThread, { conversationId: at, messageId }],
        [threads.groupFollowThread, { conversationId: at, messageId, following: true }],
      ] as const;
    for (const [who, at, messageId, said] of [
      [dan, conversationId, root.id, '403 FORBIDDEN'],
      [cleo, conversationId, root.id, '403 FORBIDDEN'],
      [ann, conversationId, other.id, '404 MESSAGE_NOT_FOUND'],
      [ann, conversationId, '0'.repeat(32), '404 MESSAGE_NOT_FOUND'],
      [ann, other.conversationId, other.id, '404 CONVERSATION_NOT_FOUND'],
      [ann, '0'.repeat(32), root.id, '404 CONVERSATION_NOT_FOUND'],
    ] as const)
      for (const [operation, input] of each(at, messageId))
        expect([operation.id, await refused(house, operation, who, input)]).toEqual([operation.id, said]);
    for (const who of [dan, cleo])
      expect(await refused(house, threads.groupThreads, who, { conversationId })).toBe('403 FORBIDDEN');
    expect(await refused(house, threads.groupThreads, ann, { conversationId: other.conversationId })).toBe(
      '404 CONVERSATION_NOT_FOUND',
    );
    expect((await house.ctx.db.selectFrom('conversation_thread_places').selectAll().execute()).length).toBe(4);

    // Newcomers see what is said from then on: no thread that began before, not even by an answer that they see.
    await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [dan.memberId] });
    const seen = await say(bob, '@dan, too', answer.id);
    expect(seen.threadId).toBe(root.id);
    expect((await done(house, threads.groupThreads, dan, { conversationId })).items).toEqual([]);
    for (const messageId of [root.id, seen.id])
      for (const [operation, input] of each(conversationId, messageId))
        expect(await refused(house, operation, dan, input)).toBe('404 MESSAGE_NOT_FOUND');
    const mine = await say(dan, 'Mine', seen.id);
    expect(mine.threadId).toBe(root.id);
    expect((await done(house, threads.groupThreads, dan, { conversationId, following: 'true' })).items).toEqual([]);

    // Between two, a block ends the talking and nothing else.
    await scene.block(bob, ann);
    const both = { conversationId: other.conversationId };
    expect((await done(house, threads.directThreads, ann, both)).items[0]).toMatchObject({ replyCount: 1 });
    const blocked = { recipientId: bob.memberId, content: 'Still', replyToMessageId: other.id };
    expect(await refused(house, direct.sendDirect, ann, blocked)).toBe('404 MEMBER_NOT_FOUND');
    const read = { ...both, messageId: other.id };
    expect(await done(house, threads.directReadThread, ann, read)).toMatchObject({ unread: 0 });
    // In a group it hides what was said, and not how much.
    await scene.block(dan, bob);
    const begun = await say(dan, 'Begun');
    await say(bob, 'Hidden', begun.id);
    const hidden = await done(house, threads.groupThread, dan, { conversationId, messageId: begun.id });
    expect(hidden.items.map((one) => [one.hidden, one.content])).toEqual([[true, null]]);
  });
});
