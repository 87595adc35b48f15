import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { search } from '../../../src/contract/chat/search.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused } from './chat-scene.ts';
import { openChat } from './scene.ts';

const say = async (house: House, who: HouseMember, conversationId: string, content: string) => {
  house.clock.advance(1);
  return await done(house, channels.sendToChannel, who, { conversationId, content });
};
const inChannel = async (house: House, who: HouseMember, conversationId: string, query: string) =>
  (await done(house, search.searchChannel, who, { conversationId, query })).items.map(({ content }) => content);
const anywhere = async (house: House, who: HouseMember, q: string) =>
  (await done(house, search.searchChat, who, { q })).items.map(({ content }) => content);

describe.each(bothEngines)('searching conversations on %s', (engine) => {
  it('finds what was said in a channel, the best answers first, and follows edits and deletions', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await channelOf(house, [ann, bob]);
    const first = await say(house, ann, conversationId, 'Tea, and more tea, and tea, and tea again');
    await say(house, bob, conversationId, 'A cup of Téa at https://tea.example/');
    const gone = await say(house, ann, conversationId, 'tea nobody wanted');
    await say(house, bob, conversationId, 'Coffee');
    await done(house, messages.channelDeleteMessage, ann, { conversationId, messageId: gone.id });
    const found = await done(house, search.searchChannel, bob, { conversationId, query: 'tea' });
    expect(found.items.map(({ content }) => content)).toEqual([
      'Tea, and more tea, and tea, and tea again',
      'A cup of Téa at https://tea.example/',
    ]);
    const [best = 0, other = 0] = found.items.map(({ relevanceScore }) => relevanceScore);
    expect(best).toBeGreaterThan(other);
    expect(other).toBeGreaterThan(0);
    await done(house, messages.channelEditMessage, ann, { conversationId, messageId: first.id, content: 'Cocoa' });
    expect(await inChannel(house, bob, conversationId, 'tea again')).toEqual([]);
    expect(await inChannel(house, bob, conversationId, 'cocoa')).toEqual(['Cocoa']);
    expect(await inChannel(house, ann, conversationId, `from:${bob.username}`)).toHaveLength(2);
    expect(await inChannel(house, ann, conversationId, 'from:me')).toEqual(['Cocoa']);
    expect(await inChannel(house, ann, conversationId, 'has:link')).toHaveLength(1);
    expect(await inChannel(house, ann, conversationId, 'coffee before:2020-01-01')).toEqual([]);
    for (const query of ['x', 'has:nothing', 'before:never'])
      expect(await refused(house, search.searchChannel, ann, { conversationId, query })).toBe('400 VALIDATION_ERROR');
    // The store has no word in clear.
    const rows = await house.ctx.db.selectFrom('search_documents').select('words').execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/coffee|cocoa|tea/i);
    await done(house, channels.deleteChannel, ann, { conversationId });
    await scene.later(1);
    for (const table of ['search_documents', 'search_spaces', 'conversation_messages'] as const)
      expect(await house.ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it('finds the newest first in all that somebody is in, or in one', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const channel = await channelOf(house, [ann, bob]);
    const group = await groupOf(house, [ann, bob, cleo]);
    await scene.say(ann, bob, 'A lemon for you');
    await say(house, bob, channel, 'A lemon for all');
    house.clock.advance(1);
    await done(house, groups.sendToGroup, cleo, { conversationId: group, content: 'A lemon for few' });
    await scene.say(ann, cleo, 'A lemon for cleo');
    expect(await anywhere(house, bob, 'lemon')).toEqual(['A lemon for few', 'A lemon for all', 'A lemon for you']);
    expect(await anywhere(house, bob, 'lemon in:garden')).toEqual(['A lemon for few', 'A lemon for all']);
    expect(await anywhere(house, bob, `lemon in:${group}`)).toEqual(['A lemon for few']);
    expect(await anywhere(house, bob, 'lemon in:ann')).toEqual(['A lemon for you']);
    expect(await anywhere(house, bob, 'lemon from:cleo')).toEqual(['A lemon for few']);
    expect(await anywhere(house, bob, 'lemon in:cleo')).toEqual([]);
    expect(await anywhere(house, bob, 'lemon from:nobody-at-all')).toEqual([]);
    const page = await done(house, search.searchChat, bob, { q: 'lemon', limit: 2 });
    expect(page).toMatchObject({ items: [{}, {}], hasMore: true });
    const rest = await done(house, search.searchChat, bob, { q: 'lemon', limit: 2, cursor: page.cursor ?? '' });
    expect(rest.items.map(({ content }) => content)).toEqual(['A lemon for you']);
  });
});

describe.each(engines)('what a search does not find on %s', (engine) => {
  it('is what was said before somebody joined, after they left, and what a block hides, and no page tells of it', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann, cleo]);
    await say(house, ann, conversationId, 'The secret of the garden');
    await done(house, channels.updateChannel, ann, { conversationId, historyVisibleToNewMembers: false });
    await done(house, channels.joinChannel, bob, { conversationId });
    await say(house, ann, conversationId, 'The secret of the kitchen');
    await scene.block(cleo, ann);
    const look = async (who: typeof bob) =>
      await done(house, search.searchChannel, who, { conversationId, query: 'secret' });
    expect((await look(bob)).items.map(({ content }) => content)).toEqual(['The secret of the kitchen']);
    expect(await look(cleo)).toEqual({ items: [], cursor: null, hasMore: false });
    expect(await anywhere(house, cleo, 'secret')).toEqual([]);
    const none = await done(house, search.searchChannel, bob, { conversationId, query: 'garden', limit: 1 });
    expect(none).toEqual({ items: [], cursor: null, hasMore: false });
    await done(house, members.channelLeave, bob, { conversationId });
    expect(await refused(house, search.searchChannel, bob, { conversationId, query: 'secret' })).toBe('403 FORBIDDEN');
    expect(await anywhere(house, bob, 'secret')).toEqual([]);
  });
});
