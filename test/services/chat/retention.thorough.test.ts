import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { search } from '../../../src/contract/chat/search.ts';
import { epochs } from '../../../src/contract/chat/epochs.ts';
import { conversationAsHeard } from '../../../src/shared/conversations/events.ts';
import { retentionHandler } from '../../../src/shared/conversations/retention-job.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat, told, type ChatScene } from './scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Erases what is due. */
async function erase({ house }: ChatScene): Promise<void> {
  const job = { attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
  await retentionHandler(house.ctx)(null, job as never);
}

const anew = async ({ house }: ChatScene, who: HouseMember) => ({ ...who, token: await house.signIn(who) });

async function upload({ house }: ChatScene, { token }: HouseMember): Promise<string> {
  const headers = { 'content-type': 'text/plain', 'content-length': '4' };
  const request = { token, rawBody: Uint8Array.from(Buffer.from('cake')), headers };
  return (await house.api('POST', '/api/chat/attachments?filename=cake.txt', request)).body.data.id as string;
}

/** Up to which numbers those who are in a conversation heard that messages are gone. */
const removed = ({ house }: ChatScene, id: string) =>
  told(house, `conversation:${id}`).flatMap(([name, { upToSeq }]) =>
    name === 'communication:messages_removed' ? [upToSeq as number] : [],
  );

/** How many rows of a conversation a table has. */
async function rowsOf(
  { house }: ChatScene,
  table: 'room_key_epochs' | 'room_key_wraps',
  id: string,
): Promise<number[]> {
  const rows = await house.ctx.db.selectFrom(table).select('epoch').where('room_id', '=', id).execute();
  return [...new Set(rows.map(({ epoch }) => epoch))].toSorted((one, other) => one - other);
}

describe.each(bothEngines)('messages that are kept for a time, on %s', (engine) => {
  it('are not shown when it is over, and are erased with all that belongs to them', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const update = { conversationId, retentionMs: 2 * HOUR };
    expect(await refused(house, groups.updateGroup, bob, update)).toBe('403 FORBIDDEN');
    expect(await done(house, groups.updateGroup, ann, update)).toMatchObject({ retentionMs: 2 * HOUR });
    expect(told(house, `conversation:${conversationId}`).at(-1)).toEqual([
      'communication:group_updated',
      expect.objectContaining({ retentionMs: 2 * HOUR }),
    ]);
    const attachments = [await upload(scene, ann)];
    const old = await done(house, groups.sendToGroup, ann, { conversationId, content: 'Old @bob cake', attachments });
    const of = { conversationId, messageId: old.id };
    await done(house, messages.groupEditMessage, ann, { ...of, content: 'Older @bob cake' });
    await done(house, messages.groupReact, bob, { ...of, emoji: '👍' });
    await done(house, messages.groupPin, ann, of);
    house.clock.advance(HOUR);
    await done(house, groups.sendToGroup, ann, { conversationId, content: 'New cake' });
    expect(await scene.stored(ann)).toBeGreaterThan(100);
    const file = async () =>
      (await house.api('GET', `/api/chat/attachments/${attachments[0]}`, { token: bob.token })).status;
    const looked = async () => {
      const { items } = await done(house, messages.groupMessages, bob, { conversationId });
      const found = await done(house, search.searchChat, bob, { q: 'cake' });
      const pins = (await done(house, messages.groupPins, bob, { conversationId })).items;
      const ctx = house.ctx;
      const event = { seq: 1, name: 'communication:message_sent', data: JSON.stringify({ messageId: old.id }) };
      const [replayed] = await conversationAsHeard(ctx)(`conversation:${conversationId}`, [event]);
      return {
        texts: items.map(({ content }) => content),
        found: found.items.map(({ content }) => content),
        pins: pins.length,
        file: await file(),
        replayed: replayed !== undefined,
      };
    };
    expect(await looked()).toEqual({
      texts: ['Older @bob cake', 'New cake'],
      found: ['New cake', 'Older @bob cake'],
      pins: 1,
      file: 200,
      replayed: true,
    });
    const gone = { texts: [null, 'New cake'], found: ['New cake'], pins: 0, file: 404, replayed: false };
    house.clock.advance(HOUR);
    const before = await scene.stored(ann);
    expect(await looked()).toEqual(gone);
    expect(await refused(house, messages.groupReact, ann, { ...of, emoji: '🎉' })).toBe('404 MESSAGE_NOT_FOUND');
    expect(await refused(house, messages.groupEditMessage, ann, { ...of, content: 'Again' })).toBe(
      '404 MESSAGE_NOT_FOUND',
    );
    const group = await done(house, groups.showGroup, bob, { conversationId });
    expect(group).toMatchObject({ unread: 2, lastSeq: 2, lastMessagePreview: 'New cake', retentionMs: 2 * HOUR });
    const shown = (await done(house, messages.groupMessages, bob, { conversationId })).items;
    expect(shown[0]).toMatchObject({
      seq: 1,
      deleted: true,
      deletedAt: new Date(Date.parse(old.createdAt) + 2 * HOUR).toISOString(),
      attachments: [],
      reactions: [],
      editHistory: [],
    });
    house.clock.advance(60_000);
    await erase(scene);
    expect(await looked()).toEqual(gone);
    expect(removed(scene, conversationId)).toEqual([1]);
    expect(await scene.stored(ann)).toBeLessThan(before);
    const { db } = house.ctx;
    for (const table of [
      'conversation_edits',
      'conversation_reactions',
      'conversation_pins',
      'conversation_mentions',
      'conversation_message_attachments',
      'conversation_attachments',
    ] as const)
      expect([table, (await db.selectFrom(table).selectAll().execute()).length]).toEqual([table, 0]);
    const row = await db.selectFrom('conversation_messages').selectAll().where('id', '=', old.id).executeTakeFirst();
    expect(row).toMatchObject({ sealed: null, bytes: 0, sender_id: ann.memberId });
    expect(await done(house, groups.showGroup, bob, { conversationId })).toMatchObject({ unread: 2, mentionCount: 0 });
    // Kept for longer, what is erased stays erased, and what is not is shown again.
    house.clock.advance(2 * HOUR);
    expect((await looked()).texts).toEqual([null, null]);
    await done(house, groups.updateGroup, ann, { conversationId, retentionMs: null });
    expect((await looked()).texts).toEqual([null, 'New cake']);
    await erase(scene);
    expect((await looked()).texts).toEqual([null, 'New cake']);
  });

  it('have a key for each day, which goes with the last of them', async () => {
    await using scene = await openChat(engine);
    const { house } = scene;
    let { ann, bob }: { ann: HouseMember; bob: HouseMember } = scene;
    const group = await groupOf(house, [ann, bob]);
    const channel = await channelOf(house, [ann, bob]);
    await done(house, groups.updateGroup, ann, { conversationId: group, retentionMs: 3 * DAY });
    await done(house, channels.updateChannel, ann, { conversationId: channel, retentionMs: 3 * DAY });
    const ids: string[] = [];
    for (let day = 1; day <= 4; day += 1) {
      ann = await anew(scene, ann);
      for (const content of ['Morning', `Tea ${day}`]) {
        const said = await done(house, groups.sendToGroup, ann, { conversationId: group, content });
        ids.push(said.id);
        expect(said.epoch).toBe(day);
      }
      await done(house, channels.sendToChannel, ann, { conversationId: channel, content: `Tea ${day}` });
      house.clock.advance(DAY);
    }
    bob = await anew(scene, bob);
    ann = await anew(scene, ann);
    // An edit is under the key of its day, and the text before it under its own.
    const edited = await done(house, messages.groupEditMessage, ann, {
      conversationId: group,
      messageId: ids[4]!,
      content: 'Evening',
    });
    expect(edited).toMatchObject({ epoch: 5, editHistory: [{ content: 'Morning', epoch: 3 }] });
    expect(await rowsOf(scene, 'room_key_epochs', group)).toEqual([1, 2, 3, 4, 5]);
    const { keys } = await done(house, places.groupKeys, bob, { conversationId: group });
    expect(keys.map(({ reason }) => reason)).toEqual(['created', 'daily', 'daily', 'daily', 'daily']);
    house.clock.advance(60_000);
    await erase(scene);
    expect(await rowsOf(scene, 'room_key_epochs', group)).toEqual([3, 4, 5]);
    expect(await rowsOf(scene, 'room_key_wraps', group)).toEqual([3, 4, 5]);
    const texts = async () =>
      (await done(house, messages.groupMessages, bob, { conversationId: group })).items.map(({ content }) => content);
    expect(await texts()).toEqual([null, null, null, null, 'Evening', 'Tea 3', 'Morning', 'Tea 4']);
    // The key of its searches was sealed under the first one.
    const find = async (q: string) =>
      (await done(house, search.searchChat, bob, { q })).items.map(({ content }) => content);
    expect((await find('tea')).toSorted()).toEqual(['Tea 3', 'Tea 3', 'Tea 4', 'Tea 4']);
    await done(house, channels.sendToChannel, ann, { conversationId: channel, content: 'Tea 5' });
    expect(await find('tea 5')).toEqual(['Tea 5']);
    // Nothing is left, and the newest key stays.
    house.clock.advance(4 * DAY);
    await erase(scene);
    expect(await rowsOf(scene, 'room_key_epochs', group)).toEqual([5]);
    ann = await anew(scene, ann);
    expect(await done(house, groups.sendToGroup, ann, { conversationId: group, content: 'Again' })).toMatchObject({
      epoch: 6,
      content: 'Again',
    });
  });
});

describe.each(bothEngines)('keys that members make for messages that are kept for a time, on %s', (engine) => {
  it('are for a day, and what is encrypted of them goes with the last of its messages', async () => {
    await using scene = await openClients(engine);
    const { house } = scene;
    let { ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const conversationId = garden.id;
    const at = { conversationId };
    const send = async (content: string, more = {}) =>
      await done(house, groups.sendToGroup, ann, { ...at, ...scene.seal(ann, garden, content), ...more });
    const began = async () => {
      garden.key = scene.makeKey(ann, conversationId, [ann, bob], garden.key.sent);
      return await done(house, epochs.groupBeginEpoch, ann, { ...at, ...garden.key.sent });
    };
    const closed = async () => [
      (await done(house, epochs.groupEpochs, bob, at)).closed,
      (await done(house, places.groupKeys, bob, at)).closed,
    ];
    const nextDay = async () => {
      house.clock.advance(DAY);
      ann = { ...ann, token: await house.signIn(ann) };
      bob = { ...bob, token: await house.signIn(bob) };
    };
    const first = await send('As long as we are here');
    // Kept for 30 days, a key has any age.
    await done(house, groups.updateGroup, ann, { ...at, retentionMs: 30 * DAY });
    await nextDay();
    expect(await closed()).toEqual([false, false]);
    await send('Any age');
    await done(house, groups.updateGroup, ann, { ...at, retentionMs: 2 * DAY });
    expect(await closed()).toEqual([true, true]);
    expect(await refused(house, groups.sendToGroup, ann, { ...at, ...scene.seal(ann, garden, 'Old') })).toBe(
      '409 EPOCH_CLOSED',
    );
    const edit = {
      ...at,
      messageId: first.id,
      ...scene.seal(ann, garden, 'B', { clientId: first.clientId!, revision: 1 }),
    };
    expect(await refused(house, messages.groupEditMessage, ann, edit)).toBe('409 EPOCH_CLOSED');
    await began();
    expect(await closed()).toEqual([false, false]);
    house.clock.advance(HOUR);
    const second = await send('Second day');
    house.clock.advance(DAY - HOUR - 1);
    await send('Still');
    expect(await done(house, places.groupKeys, bob, at)).toMatchObject({
      oldestEpoch: 1,
      keys: [{ reason: 'created' }, { reason: 'daily' }],
    });
    await nextDay();
    house.clock.advance(60_001);
    await erase(scene);
    // `Any age` was under the first key, and is gone now.
    expect(await rowsOf(scene, 'room_key_wraps', conversationId)).toEqual([2]);
    expect(await done(house, places.groupKeys, bob, at)).toMatchObject({ oldestEpoch: 2, keys: [{ epoch: 2 }] });
    await began();
    await send('Third day');
    const shown = (await done(house, messages.groupMessages, bob, at)).items;
    expect(shown.map(({ deleted = false, epoch }) => [epoch, deleted])).toEqual([
      [1, true],
      [1, true],
      [2, false],
      [2, false],
      [3, false],
    ]);
    const [own] = (await done(house, places.groupKeys, bob, at)).keys;
    expect(scene.open(scene.unwrap(bob, conversationId, own!), conversationId, shown[2]!)).toBe('Second day');
    expect(shown[2]!.id).toBe(second.id);
  });
});

describe.each(engines)('messages that are kept for a time, on %s', (engine) => {
  it('are so in a conversation of two by either of them, unless a block parts them', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const { conversationId } = await sendDirect(house, ann, bob, 'Hello');
    for (const retentionMs of [0, HOUR - 1, 3_651 * DAY, 1.5 * HOUR + 0.5])
      expect(await refused(house, direct.setRetention, bob, { conversationId, retentionMs })).toBe(
        '400 VALIDATION_ERROR',
      );
    const week = { conversationId, retentionMs: 7 * DAY };
    expect(await refused(house, direct.setRetention, cleo, week)).toBe('403 FORBIDDEN');
    expect(await done(house, direct.setRetention, bob, week)).toEqual({ id: conversationId, retentionMs: 7 * DAY });
    expect(told(house, `conversation:${conversationId}`).at(-1)).toEqual([
      'communication:retention_changed',
      expect.objectContaining({ retentionMs: 7 * DAY, updatedBy: bob.memberId }),
    ]);
    expect((await done(house, direct.listConversations, ann, {})).items).toMatchObject([{ retentionMs: 7 * DAY }]);
    await scene.block(ann, bob);
    expect(await refused(house, direct.setRetention, bob, { ...week, retentionMs: HOUR })).toBe('404 MEMBER_NOT_FOUND');
    house.clock.advance(7 * DAY);
    const there = await anew(scene, ann);
    expect((await done(house, messages.directMessages, there, { conversationId })).items).toMatchObject([
      { content: null, deleted: true },
    ]);
    expect((await done(house, direct.listConversations, there, {})).items).toMatchObject([
      { lastMessagePreview: null },
    ]);
  });

  it('are kept by the node for as long as it says, if that is shorter', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const { conversationId } = await sendDirect(house, ann, bob, 'Hello');
    (house.ctx.config.chat as { retentionMs: number | undefined }).retentionMs = 2 * HOUR;
    const set = async (retentionMs: number | null) =>
      (await done(house, direct.setRetention, ann, { conversationId, retentionMs })).retentionMs;
    expect([await set(HOUR), await set(7 * DAY), await set(null)]).toEqual([HOUR, 2 * HOUR, 2 * HOUR]);
    house.clock.advance(2 * HOUR);
    const seen = async () => (await done(house, messages.directMessages, bob, { conversationId })).items;
    expect(await seen()).toMatchObject([{ content: null, deleted: true }]);
    house.clock.advance(60_000);
    await erase(scene);
    (house.ctx.config.chat as { retentionMs: number | undefined }).retentionMs = undefined;
    expect(await seen()).toMatchObject([{ content: null, deleted: true }]);
  });

  it('go where only members can read too, with what the node has for members of their keys', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const conversationId = garden.id;
    await done(house, groups.updateGroup, ann, { conversationId, retentionMs: HOUR });
    await done(house, groups.sendToGroup, ann, { conversationId, ...scene.seal(ann, garden, 'Old') });
    garden.key = scene.makeKey(ann, conversationId, [ann, bob], garden.key.sent);
    await done(house, epochs.groupBeginEpoch, ann, { conversationId, ...garden.key.sent });
    house.clock.advance(HOUR + 60_000);
    await erase(scene);
    const { items } = await done(house, messages.groupMessages, bob, { conversationId });
    expect(items).toMatchObject([{ encryptedContent: null, deleted: true }]);
    // Who made them, and that one follows on the other, stays.
    expect(await rowsOf(scene, 'room_key_epochs', conversationId)).toEqual([1, 2]);
    expect(await rowsOf(scene, 'room_key_wraps', conversationId)).toEqual([2]);
  });

  it('of one conversation that fails stop no others, and go in parts', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob } = scene;
    const two: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      const conversationId = await groupOf(house, [ann, bob]);
      await done(house, groups.updateGroup, ann, { conversationId, retentionMs: HOUR });
      await done(house, groups.sendToGroup, ann, { conversationId, content: 'Old' });
      two.push(conversationId);
      house.clock.advance(1);
    }
    const [broken, fine] = two.toSorted() as [string, string];
    const { db } = house.ctx;
    const lose = async (kind: string) =>
      await db.updateTable('room_key_heads').set({ kind }).where('room_id', '=', broken).execute();
    // More than one transaction erases.
    const [row] = await db
      .selectFrom('conversation_messages')
      .selectAll()
      .where('conversation_id', '=', fine)
      .execute();
    for (let seq = 2; seq <= 450; seq += 1)
      await db
        .insertInto('conversation_messages')
        .values({ ...row!, seq, id: seq.toString(16).padStart(32, '0') })
        .execute();
    await lose('lost');
    house.clock.advance(HOUR + 60_000);
    await expect(erase(scene)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const left = async (id: string) =>
      (
        await db
          .selectFrom('conversation_messages')
          .select('seq')
          .where('conversation_id', '=', id)
          .where('sealed', 'is not', null)
          .execute()
      ).length;
    expect([await left(broken), await left(fine)]).toEqual([1, 0]);
    expect([removed(scene, broken), removed(scene, fine)]).toEqual([[], [200, 400, 450]]);
    await lose('conversation');
    await erase(scene);
    expect(await left(broken)).toBe(0);
    // Clients that are open hear of it once.
    await erase(scene);
    expect([removed(scene, broken), removed(scene, fine)]).toEqual([[1], [200, 400, 450]]);
  });
});
