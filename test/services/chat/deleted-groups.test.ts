import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { bytesOf } from '../../../src/platform/store/member-storage.ts';
import { erasingHandler } from '../../../src/shared/conversations/erasing.ts';
import { openHouse, type House } from '../../support/house.ts';
import { memberRow } from '../../support/sample-store.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { done, groupOf, refused } from './chat-scene.ts';
import { told } from './scene.ts';

const tables = [
  'conversations',
  'conversation_places',
  'conversation_messages',
  'conversation_edits',
  'conversation_reactions',
  'conversation_pins',
  'conversation_mentions',
  'rooms',
  'room_members',
  'room_log',
  'room_key_epochs',
  'room_key_wraps',
] as const;

async function rowsOf({ ctx: { db } }: House): Promise<Record<string, number>> {
  const counts = tables.map(
    async (table) => [table, (await db.selectFrom(table).selectAll().execute()).length] as const,
  );
  return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0));
}

describe.each(engines)('a deleted group on %s', (engine) => {
  it('is gone for everybody at once, and leaves nothing in the store', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await groupOf(house, [ann, bob]);
    const { id: messageId } = await done(house, groups.sendToGroup, bob, {
      conversationId,
      content: `@${ann.username}`,
    });
    await done(house, messages.groupEditMessage, bob, { conversationId, messageId, content: 'other' });
    await done(house, messages.groupReact, ann, { conversationId, messageId, emoji: '👍' });
    await done(house, messages.groupPin, ann, { conversationId, messageId });
    expect(await bytesOf(house.ctx.db, bob.memberId)).toBeGreaterThan(0);
    expect(await refused(house, groups.deleteGroup, bob, { conversationId })).toBe('403 FORBIDDEN');
    await done(house, groups.deleteGroup, ann, { conversationId });
    for (const one of [ann, bob])
      expect(await refused(house, messages.groupMessages, one, { conversationId })).toBe('404 CONVERSATION_NOT_FOUND');
    expect(await refused(house, places.groupKeys, bob, { conversationId })).toBe('404 CONVERSATION_NOT_FOUND');
    await erasingHandler(house.ctx)({ id: conversationId }, { signal: new AbortController().signal } as never);
    expect(await rowsOf(house)).toEqual({});
    expect(await bytesOf(house.ctx.db, bob.memberId)).toBe(0);
  });

  it('of many has its members told by the job, each once', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const { db } = house.ctx;
    const channel = { name: 'large', visibility: 'public' } as const;
    const { id: conversationId } = await done(house, channels.createChannel, ann, channel);
    const others = Array.from({ length: 300 }, (_, at) => `e${at.toString(16).padStart(23, '0')}`);
    await db
      .insertInto('members')
      .values(others.map((id) => memberRow(`p-${id}`, { id })))
      .execute();
    for (const memberIds of [[bob.memberId, ...others.slice(0, 150)], others.slice(150)])
      await done(house, members.channelAddMembers, ann, { conversationId, memberIds });
    await done(house, channels.deleteChannel, ann, { conversationId });
    const removed = () => told(house, `inbox:${bob.memberId}`).filter(([name]) => name === 'conversation:removed');
    expect(removed()).toEqual([]);
    expect(await refused(house, messages.channelMessages, bob, { conversationId })).toBe('404 CONVERSATION_NOT_FOUND');
    await runDueJobs({ house }, 'chat');
    expect(removed()).toHaveLength(1);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from events where name = 'conversation:removed'`.execute(db);
    expect(Number(rows[0]?.count)).toBe(302);
    expect(await rowsOf(house)).toEqual({});
  });
});
