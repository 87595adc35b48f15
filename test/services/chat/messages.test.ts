import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { engines } from '../../support/stores.ts';
import { openChat, said, storedEvents } from './scene.ts';

const { edits: mostEdits, pins: mostPins, emoji: mostEmoji } = chatLimits;
const idsOf = ({ items }: { items: ChatMessage[] }) => items.map(({ id }) => id);

describe.each(engines)('messages of a conversation on %s', (engine) => {
  it('come in pages, by cursor, after a number and about a message, also when some are deleted meanwhile', async () => {
    await using scene = await openChat(engine);
    const { ann, bob } = scene;
    const sent: ChatMessage[] = [];
    for (let at = 1; at <= 9; at += 1)
      sent.push(await scene.say(at % 2 === 0 ? bob : ann, at % 2 === 0 ? ann : bob, `${at}`));
    const path = `/${sent[0]!.conversationId}/messages`;
    const page = async (query: string) => await scene.ask(ann, 'GET', `${path}?${query}`);
    const seqs = async (query: string) => {
      const { items, cursor, hasMore } = await page(query);
      return [items.map(({ seq }: ChatMessage) => seq), cursor === null, hasMore];
    };
    expect(await seqs('')).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], true, false]);
    const newest = await page('limit=4');
    expect(newest.items.map(({ seq }: ChatMessage) => seq)).toEqual([6, 7, 8, 9]);
    for (const seq of [5, 6]) await scene.ask(seq % 2 === 0 ? bob : ann, 'DELETE', `${path}/${sent[seq - 1]!.id}`);
    const older = await page(`limit=4&cursor=${newest.cursor}`);
    expect(older.items.map(({ seq, content }: ChatMessage) => [seq, content])).toEqual([
      [2, '2'],
      [3, '3'],
      [4, '4'],
      [5, null],
    ]);
    expect(older.items[3]).toMatchObject({ deleted: true, encryptedContent: null, senderId: ann.memberId });
    expect(await seqs(`limit=4&cursor=${older.cursor}`)).toEqual([[1], true, false]);
    expect(await seqs('after=6')).toEqual([[7, 8, 9], true, false]);
    expect(await seqs('after=2&limit=3')).toEqual([[3, 4, 5], true, true]);
    expect(await seqs('after=100')).toEqual([[], true, false]);
    expect(await seqs(`around=${sent[4]!.id}&limit=4`)).toEqual([[4, 5, 6, 7], false, true]);
    expect(await seqs(`around=${sent[0]!.id}&limit=4`)).toEqual([[1, 2, 3], true, false]);
    // The cursor leads to older ones, and the message that the first page was about is not there again.
    const about = await page(`around=${sent[4]!.id}&limit=4`);
    expect(await seqs(`around=${sent[4]!.id}&limit=4&cursor=${about.cursor}`)).toEqual([[1, 2, 3], true, false]);
    expect(said(await scene.call(ann, 'GET', `${path}?around=${'0'.repeat(32)}`))).toBe('404 MESSAGE_NOT_FOUND');
    expect(said(await scene.call(ann, 'GET', `${path}?cursor=nothing`))).toBe('400 INVALID_CURSOR');
    expect(said(await scene.call(bob, 'GET', `${path}?cursor=${newest.cursor}`))).toBe('400 INVALID_CURSOR');
    expect(said(await scene.call(ann, 'GET', `${path}?limit=201`))).toBe('400 VALIDATION_ERROR');
    const statements = async (query: string) => (await ownStatements(async () => await page(query))).statements.length;
    expect(await statements('')).toBe(await statements('limit=1'));
  });

  it('are changed by their senders, who keep the last earlier texts, and count to their storage until they are deleted', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'text 0');
    const path = `/${conversationId}/messages/${id}`;
    const one = await scene.stored(ann);
    expect(one).toBeGreaterThan('text 0'.length);
    expect(said(await scene.call(bob, 'PUT', path, { content: 'Mine' }))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(bob, 'DELETE', path))).toBe('403 FORBIDDEN');
    house.clock.advance(1000);
    expect(await scene.ask(ann, 'PUT', path, { content: 'text 1' })).toMatchObject({
      content: 'text 1',
      revision: 1,
      editedAt: new Date(house.clock.now()).toISOString(),
      editHistory: [{ content: 'text 0', epoch: 1, editedAt: new Date(house.clock.now()).toISOString() }],
    });
    expect(await scene.stored(ann)).toBe(2 * one);
    for (let at = 2; at <= mostEdits + 2; at += 1) await scene.ask(ann, 'PUT', path, { content: `text ${at}` });
    const { editHistory } = await scene.ask(bob, 'GET', path);
    expect(editHistory.map(({ content }: { content: string }) => content)).toEqual(
      Array.from({ length: mostEdits }, (_, at) => `text ${at + 2}`),
    );
    const rows = await house.ctx.db.selectFrom('conversation_edits').select('sealed').execute();
    const kept = rows.reduce((bytes, { sealed }) => bytes + sealed.length, one + 1);
    expect(await scene.stored(ann)).toBe(kept);
    await scene.ask(bob, 'POST', `${path}/reactions`, { emoji: '👍' });
    await scene.ask(bob, 'POST', `${path}/pin`);
    expect(await scene.ask(ann, 'DELETE', path)).toEqual({ deleted: true });
    expect(await scene.stored(ann)).toBe(0);
    for (const table of ['conversation_edits', 'conversation_reactions', 'conversation_pins'] as const)
      expect(await house.ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
    const gone = {
      content: null,
      encryptedContent: null,
      deleted: true,
      pinned: false,
      reactions: [],
      reactionCounts: [],
    };
    expect(await scene.ask(bob, 'GET', path)).toMatchObject({ ...gone, seq: 1, editHistory: [] });
    for (const [who, method, more, body] of [
      [ann, 'PUT', '', { content: 'Again' }],
      [ann, 'DELETE', ''],
      [bob, 'POST', '/reactions', { emoji: '👍' }],
      [bob, 'POST', '/pin'],
      [bob, 'DELETE', '/pin'],
    ] as const)
      expect(said(await scene.call(who, method, path + more, body))).toBe('404 MESSAGE_NOT_FOUND');
    const list = await scene.ask(bob, 'GET', '');
    expect(list.items[0]).toMatchObject({ lastMessagePreview: null, lastSeq: 1, unread: 1 });
  });

  it('are refused when the storage of their sender is used up, and leave nothing', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'short');
    const { perMemberBytes } = house.ctx.config.storage;
    await house.ctx.db
      .updateTable('member_storage')
      .set({ bytes: perMemberBytes - 50 })
      .execute();
    const text = 'x'.repeat(100);
    for (const answer of [
      await scene.call(ann, 'POST', '', { recipientId: bob.memberId, content: text }),
      await scene.call(ann, 'PUT', `/${conversationId}/messages/${id}`, { content: text }),
    ])
      expect(said(answer)).toBe('413 STORAGE_QUOTA_EXCEEDED');
    expect(await scene.ask(bob, 'GET', `/${conversationId}/messages`)).toMatchObject({
      items: [{ seq: 1, content: 'short', editHistory: [] }],
    });
  });

  it('have reactions: the same twice is one, and only its own member takes it back', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'Tea?');
    const path = `/${conversationId}/messages/${id}/reactions`;
    const react = async (who: typeof ann, emoji: string) => {
      // Of two of one millisecond the ids decide which comes first.
      house.clock.advance(1);
      return await scene.call(who, 'POST', path, { emoji });
    };
    const first = await react(bob, '❤');
    expect(first).toMatchObject({ status: 201, body: { data: { emoji: '❤️' } } });
    expect(await react(bob, '❤️')).toMatchObject({ status: 201, body: { data: first.body.data } });
    await react(ann, '❤️');
    await react(ann, '👍🏽');
    const shown = await scene.ask(ann, 'GET', `/${conversationId}/messages/${id}`);
    expect(shown.reactionCounts).toEqual([
      { emoji: '❤️', count: 2 },
      { emoji: '👍🏽', count: 1 },
    ]);
    expect(shown.reactions).toHaveLength(3);
    const { reactionId } = first.body.data;
    expect(said(await scene.call(ann, 'DELETE', `${path}/${reactionId}`))).toBe('403 FORBIDDEN');
    expect(said(await scene.call(ann, 'DELETE', `${path}/${'0'.repeat(32)}`))).toBe('404 REACTION_NOT_FOUND');
    expect(await scene.ask(bob, 'DELETE', `${path}/${reactionId}`)).toEqual({ removed: true });
    expect(said(await scene.call(bob, 'DELETE', `${path}/${reactionId}`))).toBe('404 REACTION_NOT_FOUND');
    expect(said(await react(bob, 'no emoji'))).toBe('400 VALIDATION_ERROR');
    const events = (await storedEvents(house, `conversation:${conversationId}`)).flatMap(([name, data]) =>
      name.includes('reaction') ? [[name, data.emoji, data.memberId]] : [],
    );
    expect(events).toEqual([
      ['communication:reaction_added', '❤️', bob.memberId],
      ['communication:reaction_added', '❤️', ann.memberId],
      ['communication:reaction_added', '👍🏽', ann.memberId],
      ['communication:reaction_removed', '❤️', bob.memberId],
    ]);
    const rows = Array.from({ length: mostEmoji - 2 }, (_, at) => ({
      message_id: id,
      emoji: `e${at}`,
      member_id: bob.memberId,
      id: String(at).padStart(32, '0'),
    }));
    await house.ctx.db.insertInto('conversation_reactions').values(rows).execute();
    expect(said(await react(bob, '🍵'))).toBe('400 TOO_MANY_REACTIONS');
    expect((await react(bob, '👍🏽')).status).toBe(201);
  });

  it('are pinned, so many in a conversation, and listed, the last one pinned first', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const first = await scene.say(ann, bob, 'One');
    const second = await scene.say(bob, ann, 'Two');
    const root = `/${first.conversationId}`;
    const pin = async (who: typeof ann, { id }: { readonly id: string }) =>
      await scene.call(who, 'POST', `${root}/messages/${id}/pin`);
    for (const message of [second, first, second]) {
      house.clock.advance(1);
      expect((await pin(bob, message)).body.data).toEqual({ pinned: true });
    }
    const pins = await scene.ask(ann, 'GET', `${root}/pins`);
    expect(idsOf(pins)).toEqual([first.id, second.id]);
    expect(pins.items[0]).toMatchObject({ pinned: true, content: 'One' });
    for (let times = 0; times < 2; times += 1)
      expect(await scene.ask(ann, 'DELETE', `${root}/messages/${first.id}/pin`)).toEqual({ unpinned: true });
    const events = (await storedEvents(house, `conversation:${first.conversationId}`)).map(([name]) => name);
    expect(events.filter((name) => name.endsWith('pinned'))).toEqual([
      'communication:message_pinned',
      'communication:message_pinned',
      'communication:message_unpinned',
    ]);
    const rows = Array.from({ length: mostPins - 1 }, (_, at) => ({
      conversation_id: first.conversationId,
      message_id: String(at).padStart(32, '0'),
      pinned_by: bob.memberId,
      pinned_at: 1,
    }));
    await house.ctx.db.insertInto('conversation_pins').values(rows).execute();
    expect(said(await pin(ann, first))).toBe('409 PINS_FULL');
    expect((await pin(ann, second)).status).toBe(200);
  });

  it('come without their earlier texts when a page has too many of them', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const sent = [];
    for (const text of ['One', 'Two', 'Three', 'Four']) sent.push(await scene.say(ann, bob, text));
    const path = `/${sent[0]!.conversationId}/messages`;
    for (const { id } of sent.slice(1)) await scene.ask(ann, 'PUT', `${path}/${id}`, { content: 'Changed' });
    const histories = async (): Promise<(number | undefined)[]> =>
      (await scene.ask(bob, 'GET', path)).items.map(({ editHistory }: ChatMessage) => editHistory?.length);
    expect(await histories()).toEqual([0, 1, 1, 1]);
    // As if the earlier texts of the third were that long.
    const long = { bytes: 2 * chatLimits.historyBytes };
    await house.ctx.db.updateTable('conversation_messages').set(long).where('id', '=', sent[2]!.id).execute();
    expect(await histories()).toEqual([0, 1, 1, undefined]);
    expect((await scene.ask(bob, 'GET', `${path}/${sent[3]!.id}`)).editHistory).toHaveLength(1);
  });
});
