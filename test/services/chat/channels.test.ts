import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { channelVisibilities, type ChannelVisibility } from '../../../src/contract/chat/conversation.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { invites } from '../../../src/contract/chat/invites.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import type { JsonOperation } from '../../../src/contract/operation.ts';
import { fromHex } from '../../../src/crypto/bytes.ts';
import { openMessage, openRoomKey } from '../../../src/crypto/room-keys.ts';
import { openHouse, type House } from '../../support/house.ts';
import { identityOf } from '../../support/member-key.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { channelOf, done, refused } from './chat-scene.ts';

const texts = async (house: House, who: HouseMember, conversationId: string) =>
  (await done(house, messages.channelMessages, who, { conversationId })).items.map(({ content }) => content);
const say = async (house: House, who: HouseMember, conversationId: string, content: string) =>
  await done(house, channels.sendToChannel, who, { conversationId, content });
const epochs = async (house: House, who: HouseMember, conversationId: string) =>
  (await done(house, places.channelKeys, who, { conversationId })).keys.map(({ epoch }) => epoch);

describe.each(bothEngines)('channels on %s', (engine) => {
  it('are found by their names, and joined with all that was said', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const made = await house.perform(channels.createChannel, { name: 'tea-time', visibility: 'public' }, ann.token);
    expect(made).toMatchObject({
      status: 201,
      body: {
        data: {
          type: 'channel',
          name: 'tea-time',
          topic: '',
          visibility: 'public',
          creatorId: ann.memberId,
          role: 'owner',
          historyVisibleToNewMembers: true,
          members: [{ memberId: ann.memberId, role: 'owner' }],
          pinnedMessageIds: [],
        },
      },
    });
    const conversationId = made.body.data.id as string;
    const { id: messageId } = await say(house, ann, conversationId, 'Welcome');
    await done(house, messages.channelPin, ann, { conversationId, messageId });
    const { items } = await done(house, channels.listChannels, bob, { name: 'tea-time' });
    expect(items).toEqual([
      {
        id: conversationId,
        name: 'tea-time',
        topic: '',
        visibility: 'public',
        memberCount: 1,
        createdAt: expect.any(String),
        joined: false,
      },
    ]);
    expect(await done(house, channels.showChannel, bob, { conversationId })).toEqual(items[0]);
    await done(house, channels.joinChannel, bob, { conversationId });
    expect(await texts(house, bob, conversationId)).toEqual(['Welcome']);
    expect(await done(house, channels.showChannel, bob, { conversationId })).toMatchObject({
      joined: true,
      role: 'member',
      memberCount: 2,
      unread: 0,
      pinnedMessageIds: [messageId],
      lastMessagePreview: 'Welcome',
    });
    expect((await done(house, channels.joinedChannels, bob, {})).items).toMatchObject([{ id: conversationId }]);
    expect(await refused(house, channels.joinChannel, bob, { conversationId })).toBe('409 ALREADY_IN_ROOM');
    const answer = await say(house, bob, conversationId, `@${ann.username} here I am`);
    expect(answer).toMatchObject({ seq: 2, epoch: 1, channelId: conversationId });
    expect((await done(house, channels.showChannel, ann, { conversationId })).mentionCount).toBe(1);
    await done(house, members.channelLeave, bob, { conversationId });
    expect((await say(house, ann, conversationId, 'Alone again')).epoch).toBe(2);
    expect(await refused(house, messages.channelMessages, bob, { conversationId })).toBe('403 FORBIDDEN');
    await done(house, members.channelLeave, ann, { conversationId });
    expect(await refused(house, channels.showChannel, ann, { conversationId })).toBe('404 CONVERSATION_NOT_FOUND');
    // The name is free with the channel.
    await done(house, channels.createChannel, bob, { name: 'tea-time', visibility: 'secret' });
  });

  it('have keys that are encrypted to members when they ask for them, and open what they may read', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid] = [await house.register(), await house.register(), await house.register()];
    const conversationId = await channelOf(house, [ann, bob]);
    await say(house, ann, conversationId, 'One');
    const stored = async () =>
      (await house.ctx.db.selectFrom('room_key_wraps').select(['member_id', 'epoch']).execute()).length;
    expect(await stored()).toBe(0);
    expect(await epochs(house, bob, conversationId)).toEqual([1]);
    expect(await stored()).toBe(1);
    await done(house, members.channelLeave, bob, { conversationId });
    await done(house, channels.joinChannel, cid, { conversationId });
    await say(house, ann, conversationId, 'Two');
    const { keys } = await done(house, places.channelKeys, cid, { conversationId });
    expect(keys.map(({ epoch, reason }) => [epoch, reason])).toEqual([
      [1, 'created'],
      [2, 'member_left'],
    ]);
    const room = { kind: 'conversation', id: conversationId };
    const { items } = await done(house, messages.channelMessages, cid, { conversationId });
    const { privateKey } = await identityOf(cid.mnemonic);
    const opened = items.map(({ id: messageId, senderId, epoch, encryptedContent }) => {
      const { keyId, wrapped } = keys.find((one) => one.epoch === epoch)!;
      const key = openRoomKey(privateKey, fromHex(wrapped), { room, keyId }, cid.memberId);
      const sealed = Buffer.from(encryptedContent!, 'base64');
      return JSON.parse(Buffer.from(openMessage(key, room, { epoch, senderId, messageId }, sealed)).toString()).content;
    });
    expect(opened).toEqual(['One', 'Two']);
    // A page says that more follow, also of keys that nobody has asked for.
    const first = await done(house, places.channelKeys, ann, { conversationId, limit: 1 });
    expect(first).toMatchObject({ epoch: 2, keys: [{ epoch: 1 }], hasMore: true });
    const rest = await done(house, places.channelKeys, ann, { conversationId, limit: 1, sinceEpoch: 1 });
    expect(rest).toMatchObject({ keys: [{ epoch: 2 }], hasMore: false });
    const page = { conversationId, sinceEpoch: 1 };
    expect((await done(house, places.channelKeys, cid, page)).keys.map(({ epoch }) => epoch)).toEqual([2]);
  });

  it('show newcomers what was said since history was last switched on, and nothing of before', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, cid, dan] = await Promise.all(Array.from({ length: 4 }, async () => await house.register()));
    const conversationId = await channelOf(house, [ann!]);
    const show = async (historyVisibleToNewMembers: boolean) =>
      await done(house, channels.updateChannel, ann!, { conversationId, historyVisibleToNewMembers });
    await say(house, ann!, conversationId, 'open');
    expect((await show(false)).historyVisibleToNewMembers).toBe(false);
    await say(house, ann!, conversationId, 'hidden');
    await done(house, channels.joinChannel, bob!, { conversationId });
    await say(house, ann!, conversationId, 'after bob');
    expect(await texts(house, bob!, conversationId)).toEqual(['after bob']);
    expect(await epochs(house, bob!, conversationId)).toEqual([3]);
    await show(true);
    await say(house, ann!, conversationId, 'open again');
    await done(house, channels.joinChannel, cid!, { conversationId });
    expect(await texts(house, cid!, conversationId)).toEqual(['open again']);
    expect(await epochs(house, cid!, conversationId)).toEqual([4]);
    // Who comes back sees as much as who comes for the first time.
    await done(house, members.channelLeave, bob!, { conversationId });
    await done(house, channels.joinChannel, bob!, { conversationId });
    expect(await texts(house, bob!, conversationId)).toEqual(['open again']);
    expect(await epochs(house, bob!, conversationId)).toEqual([4, 5]);
    await done(house, channels.joinChannel, dan!, { conversationId });
    expect(await epochs(house, dan!, conversationId)).toEqual([4, 5]);
    expect(await texts(house, ann!, conversationId)).toHaveLength(4);
  });
});

/** What a stranger is answered, who has the id of a channel. */
const strange: Readonly<Record<ChannelVisibility, string>> = {
  public: '403 FORBIDDEN',
  private: '403 FORBIDDEN',
  secret: '404 CONVERSATION_NOT_FOUND',
  invisible: '404 CONVERSATION_NOT_FOUND',
};

describe.each(engines)('channels that somebody is not in on %s', (engine) => {
  it('show strangers what their visibility says, in every operation', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const of: Record<string, string> = {};
    for (const visibility of channelVisibilities)
      of[visibility] = await channelOf(house, [ann], { name: visibility, visibility });
    const { id: messageId } = await say(house, ann, of['secret']!, 'Nobody knows');
    const others = { memberId: ann.memberId, messageId, reactionId: messageId, invite: messageId };
    const fields = { ...others, content: 'x', emoji: '👍', durationMs: 1, role: 'member', memberIds: [bob.memberId] };
    const everywhere = { ...channels, ...places, ...messages, ...members, ...moderation, ...invites };
    const besides = new Set<string>([
      'chat.create-channel',
      'chat.channels',
      'chat.joined-channels',
      'chat.channel',
      'chat.join-channel',
      'chat.invite',
      'chat.redeem-invite',
    ]);
    const about = Object.values(everywhere as Record<string, JsonOperation>).filter(
      ({ id, path }) => path.startsWith('/api/channels') && !besides.has(id),
    );
    expect(about.length).toBeGreaterThan(28);
    for (const visibility of channelVisibilities) {
      const conversationId = of[visibility]!;
      const told = new Map<string, string>();
      for (const operation of about) {
        const wanted = Object.entries(fields).filter(([name]) => name in operation.input.entries);
        const answer = await house.perform(operation, { conversationId, ...Object.fromEntries(wanted) }, bob.token);
        told.set(operation.id, `${answer.status} ${answer.body.error?.reason}`);
      }
      expect([...new Set(told.values())], visibility).toEqual([strange[visibility]]);
      const shown = await house.perform(channels.showChannel, { conversationId }, bob.token);
      expect(`${shown.status} ${shown.body.error?.reason}`).toBe(
        visibility === 'public' ? '200 undefined' : strange[visibility],
      );
      const join = await house.perform(channels.joinChannel, { conversationId }, bob.token);
      expect(`${join.status} ${join.body.error?.reason}`).toBe(
        visibility === 'public' ? '200 undefined' : strange[visibility],
      );
    }
    const listed = await done(house, channels.listChannels, ann, {});
    expect(listed.items.map(({ name, joined }) => [name, joined])).toEqual([
      ['private', true],
      ['public', true],
    ]);
    expect((await done(house, channels.joinedChannels, ann, {})).items).toHaveLength(4);
    // An answer about a secret one has the same words as one about none.
    const none = await house.perform(channels.showChannel, { conversationId: '0'.repeat(32) }, bob.token);
    const secret = await house.perform(channels.showChannel, { conversationId: of['secret']! }, bob.token);
    expect(secret.body).toEqual(none.body);
    expect(await refused(house, channels.createChannel, bob, { name: 'secret', visibility: 'public' })).toBe(
      '409 CHANNEL_NAME_TAKEN',
    );
  });

  it('have names that differ by more than their case or the form of their characters', async () => {
    await using house = await openHouse(engine);
    const ann = await house.register();
    const create = async (name: string) => {
      const { status, body } = await house.perform(channels.createChannel, { name, visibility: 'secret' }, ann.token);
      return status === 201 ? body.data.name : `${status} ${body.error.reason}`;
    };
    expect(await create('straße')).toBe('straße');
    expect(await create('strasse')).toBe('409 CHANNEL_NAME_TAKEN');
    expect(await create('ｔｅａ')).toBe('tea');
    expect(await create('tea')).toBe('409 CHANNEL_NAME_TAKEN');
    expect(await create('cafe\u0301')).toBe('caf\u00e9');
    expect(await create('お茶_2')).toBe('お茶_2');
    for (const name of ['Tea', 'tea time', '', 'tea!', 'a'.repeat(65), 'te\u202ea', 'te\u200ba', '🍵'])
      expect(await create(name), JSON.stringify(name)).toBe('400 VALIDATION_ERROR');
    expect(await create('𐐨'.repeat(64))).toBe('𐐨'.repeat(64));
  });

  it('are changed by their owner alone, and say what was changed', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await channelOf(house, [ann, bob]);
    await channelOf(house, [bob], { name: 'taken' });
    await done(house, members.channelSetRole, ann, { conversationId, memberId: bob.memberId, role: 'admin' });
    expect(await refused(house, channels.updateChannel, bob, { conversationId, topic: 'x' })).toBe('403 FORBIDDEN');
    expect(await refused(house, channels.updateChannel, ann, { conversationId, name: 'taken' })).toBe(
      '409 CHANNEL_NAME_TAKEN',
    );
    const changed = await done(house, channels.updateChannel, ann, { conversationId, topic: 'Tea', name: 'tee' });
    expect(changed).toEqual({
      id: conversationId,
      name: 'tee',
      slowModeSeconds: 0,
      retentionMs: null,
      topic: 'Tea',
      visibility: 'public',
      historyVisibleToNewMembers: true,
    });
    house.clock.advance(1);
    await done(house, channels.updateChannel, ann, { conversationId, topic: '', visibility: 'secret' });
    await done(house, channels.updateChannel, ann, { conversationId, visibility: 'secret' });
    const { items } = await done(house, moderation.channelLog, ann, { conversationId });
    expect(items.filter(({ action }) => action === 'settings').map(({ reason }) => reason)).toEqual([
      'topic, visibility',
      'name, topic',
    ]);
    expect((await done(house, channels.listChannels, bob, {})).items.map(({ name }) => name)).toEqual(['taken']);
  });

  it('let nobody in who is banned, and no more than a channel has room for', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const conversationId = await channelOf(house, [ann, bob]);
    await done(house, moderation.channelBan, ann, { conversationId, memberId: bob.memberId });
    expect(await refused(house, channels.joinChannel, bob, { conversationId })).toBe('403 FORBIDDEN');
    await done(house, moderation.channelUnban, ann, { conversationId, memberId: bob.memberId });
    await house.ctx.db
      .updateTable('rooms')
      .set({ member_count: chatLimits.channelMembers })
      .where('id', '=', conversationId)
      .execute();
    expect(await refused(house, channels.joinChannel, bob, { conversationId })).toBe('409 ROOM_FULL');
  });
});
