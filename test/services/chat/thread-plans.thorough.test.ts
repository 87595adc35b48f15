import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import type { ConversationMessageRow } from '../../../src/platform/store/tables/conversations.ts';
import { requireSeat } from '../../../src/shared/conversations/conversation.ts';
import { answersOf, readHistory } from '../../../src/shared/conversations/history.ts';
import { listThreads, requireThread } from '../../../src/shared/conversations/threads/list.ts';
import { plansOf } from '../../support/plans.ts';
import { bothEngines } from '../../support/stores.ts';
import { groupOf, done } from './chat-scene.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { openChat } from './scene.ts';

const THREADS = 400;
const ANSWERS = 10;

/** What shows that an engine reads all messages of the conversation, or of the node. */
const whole = {
  sqljs:
    /SCAN (?:m|a|n|s|conversation_messages)\b|SEARCH (?:m|a|conversation_messages) USING INDEX sqlite_autoindex_conversation_messages_1 \(conversation_id=\?\)|AUTOMATIC/,
  postgres: /Seq Scan on conversation_messages|conversation_messages_key on conversation_messages [ma]\b/,
} as const;

describe.each(bothEngines)('the indexes of threads on %s', (engine) => {
  it('are used by lists, counts and pages, among many messages', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const { db } = house.ctx;
    const conversationId = await groupOf(house, [ann, bob]);
    await done(house, groups.sendToGroup, ann, { conversationId, content: 'First' });
    const first = await db.selectFrom('conversation_messages').selectAll().executeTakeFirstOrThrow();
    const idOf = (seq: number) => seq.toString(16).padStart(32, '0');
    const rows: ConversationMessageRow[] = [];
    for (let seq = 2; seq <= THREADS * ANSWERS; seq += 1) {
      const root = 2 + (seq % THREADS);
      const isRoot = seq < THREADS + 2;
      rows.push({
        ...first,
        seq,
        id: idOf(seq),
        sealed: null,
        deleted_at: 1,
        sender_id: bob.memberId,
        thread_id: isRoot ? null : idOf(root),
        reply_count: isRoot ? ANSWERS - 2 : 0,
        last_reply_seq: isRoot ? THREADS * (ANSWERS - 1) + seq : null,
      });
    }
    for (let at = 0; at < rows.length; at += 100)
      await db
        .insertInto('conversation_messages')
        .values(rows.slice(at, at + 100))
        .execute();
    const places = [5, 9, 300].map((seq) => ({
      thread_id: idOf(seq),
      member_id: ann.memberId,
      conversation_id: conversationId,
      read_seq: 0,
      following: 1,
    }));
    await db.insertInto('conversation_thread_places').values(places).execute();
    await db
      .updateTable('conversations')
      .set({ last_seq: THREADS * ANSWERS })
      .execute();
    if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'));
    const seatOf = async (ctx: Context) => await requireSeat(ctx, ann, ['group'], conversationId);
    const list = { list: 'test', memberId: ann.memberId };
    for (const following of [false, true])
      for (const unread of [false, true]) {
        const run = async (ctx: Context) =>
          await listThreads(ctx, await seatOf(ctx), list, { limit: 50, following, unread });
        expect((await run(house.ctx)).items).toHaveLength(following ? 3 : 50);
        const plan = await plansOf(scene, run, true);
        expect(plan).toContain(following ? 'conversation_thread_places_member' : 'conversation_messages_replied');
        expect(plan).toContain('conversation_messages_thread');
        expect([following, unread, plan]).toEqual([following, unread, expect.not.stringMatching(whole[engine])]);
      }
    const page = async (ctx: Context) => {
      const seat = await seatOf(ctx);
      const thread = await requireThread(ctx, seat, ann.memberId, idOf(9));
      const read = await readHistory(ctx, seat, list, { limit: 3 }, answersOf(thread.id));
      expect(read.rows).toHaveLength(3);
      await readHistory(ctx, seat, list, { limit: 3, after: 3 }, answersOf(thread.id));
    };
    const plan = await plansOf(scene, page, true);
    expect(plan).toContain('conversation_messages_thread');
    expect(plan).not.toMatch(whole[engine]);
    expect(plan).not.toMatch(/Sort Key: seq/);
  });
});
