import { describe, expect, it } from 'vitest';
import { leaving } from '../../../src/contract/chat/leaving.ts';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { leavingHandler } from '../../../src/services/chat/leaving.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { allRows } from '../passvault/store-contents.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { channelOf, done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat, type ChatScene } from './scene.ts';

/** Stands in all that she writes, and in nothing else. */
const word = 'zanzibar';

/** Tables that have something of a member who left: all of it belongs to the account. */
const stays: ReadonlySet<string> = new Set([
  'members',
  'member_credentials',
  'member_profiles',
  'member_settings',
  'member_storage',
  'sessions',
  'energy_accounts',
  'event_topics',
  'idempotency_keys',
  'social_profiles',
  'room_bans',
]);

async function traces({ house: { ctx } }: ChatScene, ...needles: string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, rows] of await allRows(ctx))
    for (const value of rows.flatMap((row) => Object.values(row))) {
      const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
      if (needles.some((needle) => text.toLowerCase().includes(needle))) found.add(name);
    }
  return [...found].filter((name) => !stays.has(name)).toSorted();
}

async function upload({ house }: ChatScene, { token }: HouseMember): Promise<string> {
  const request = {
    token,
    rawBody: Uint8Array.from(Buffer.from(word)),
    headers: { 'content-type': 'text/plain', 'content-length': String(word.length) },
  };
  return (await house.api('POST', `/api/chat/attachments?filename=${word}.txt`, request)).body.data.id as string;
}

describe.each(bothEngines)('leaving all conversations on %s', (engine) => {
  it('erases what a member has, hands over what they own, and leaves nothing of them', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const { conversationId: pair } = await sendDirect(house, ann, bob, word);
    const owned = await groupOf(house, [ann, bob, cleo]);
    await done(house, members.groupSetRole, ann, { conversationId: owned, memberId: cleo.memberId, role: 'moderator' });
    const alone = await channelOf(house, [ann], { name: 'alone' });
    const formerly = await groupOf(house, [bob, ann, cleo]);
    const channel = await channelOf(house, [bob, ann]);
    for (const conversationId of [owned, formerly]) {
      const attachments = [await upload(scene, ann)];
      await done(house, groups.sendToGroup, ann, { conversationId, content: `@bob ${word}`, attachments });
      const { id } = await done(house, groups.sendToGroup, bob, { conversationId, content: '@ann Yes?' });
      await done(house, messages.groupReact, ann, { conversationId, messageId: id, emoji: '👍' });
      await done(house, groups.sendToGroup, ann, { conversationId, content: word, replyToMessageId: id });
      house.clock.advance(1);
    }
    await done(house, messages.groupPin, ann, {
      conversationId: owned,
      messageId: (await done(house, messages.groupMessages, bob, { conversationId: owned })).items[1]!.id,
    });
    await done(house, members.groupLeave, ann, { conversationId: formerly });
    await done(house, channels.sendToChannel, ann, { conversationId: channel, content: word });
    // Of somebody who was never in it, nothing but this says that she was there.
    await house.api('POST', `/api/groups/${owned}/bans/${(await house.register()).memberId}`, {
      token: ann.token,
      body: {},
    });
    await upload(scene, ann);
    await runDueJobs(scene, 'notifications');
    expect(await refused(house, leaving.leaveAll, ann, { password: 'not this one' })).toBe('401 INVALID_CREDENTIALS');
    expect(await done(house, leaving.leavingState, ann, {})).toEqual({ leaving: false, conversations: 5 });
    const { password } = ann;
    expect(await done(house, leaving.leaveAll, ann, { password })).toEqual({ leaving: true, conversations: 5 });
    // What is begun meanwhile goes as well.
    await sendDirect(house, ann, cleo, word);
    expect(await done(house, leaving.leavingState, ann, {})).toEqual({ leaving: true, conversations: 6 });
    await runDueJobs(scene, 'chat');
    expect(await done(house, leaving.leavingState, ann, {})).toEqual({ leaving: false, conversations: 0 });
    await runDueJobs(scene, 'notifications');
    await runDueJobs(scene, 'chat');
    expect(await scene.stored(ann)).toBe(0);
    expect(await refused(house, messages.directMessages, bob, { conversationId: pair })).toBe(
      '404 CONVERSATION_NOT_FOUND',
    );
    expect(await refused(house, channels.showChannel, bob, { conversationId: alone })).toBe(
      '404 CONVERSATION_NOT_FOUND',
    );
    // The moderator comes before the member who has been there as long.
    const group = await done(house, groups.showGroup, cleo, { conversationId: owned });
    expect(new Map(group.members.map(({ memberId, role }) => [memberId, role]))).toEqual(
      new Map([
        [bob.memberId, 'member'],
        [cleo.memberId, 'owner'],
      ]),
    );
    const seen = (await done(house, messages.groupMessages, cleo, { conversationId: owned })).items;
    expect(seen).toMatchObject([
      { seq: 1, content: null, deleted: true, senderName: '', attachments: [] },
      { seq: 2, content: '@ann Yes?', reactions: [], pinned: true },
      { seq: 3, content: null, deleted: true, threadId: seen[1]?.id },
    ]);
    expect(await traces(scene, word)).toEqual([]);
    const named = await traces(scene, ann.memberId);
    // The events of the last hours are for who was away, and nothing in them is hers but that she left.
    expect(named.filter((table) => table !== 'events' && table !== 'jobs')).toEqual([]);
    // The account is there, and begins anew.
    expect(await sendDirect(house, ann, bob, 'Hello again')).toMatchObject({ seq: 1 });
  });
});

describe.each(engines)('leaving all conversations on %s', (engine) => {
  it('hands over to an admin, else a moderator, else a member, and of these to who has been there the longest', async () => {
    await using scene = await openChat(engine);
    const { house, ann } = scene;
    // Neither the order of joining nor that of ids is the one that is wanted.
    const five = await Promise.all(Array.from({ length: 5 }, async () => await house.register()));
    const byId = five.toSorted((one, other) => (one.memberId < other.memberId ? 1 : -1));
    const roles = ['member', 'moderator', 'admin', 'admin', 'member'] as const;
    const conversationId = await groupOf(house, [ann, byId[0]!]);
    for (const [at, { memberId }] of byId.entries()) {
      house.clock.advance(1000);
      if (at > 0) await done(house, members.groupAddMembers, ann, { conversationId, memberIds: [memberId] });
      if (roles[at] !== 'member')
        await done(house, members.groupSetRole, ann, { conversationId, memberId, role: roles[at]! });
    }
    const heirs = [2, 3, 1, 0, 4].map((at) => byId[at]!);
    for (const [at, leaver] of [ann, ...heirs.slice(0, -1)].entries()) {
      await done(house, leaving.leaveAll, leaver, { password: leaver.password });
      await runDueJobs(scene, 'chat');
      const { members: left } = await done(house, groups.showGroup, heirs.at(-1)!, { conversationId });
      const owners = left.filter(({ role }) => role === 'owner').map(({ memberId }) => memberId);
      expect([at, owners]).toEqual([at, [heirs[at]!.memberId]]);
    }
  });

  it('closes the key of what only members can read', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const conversationId = garden.id;
    await done(house, groups.sendToGroup, ann, { conversationId, ...scene.seal(ann, garden, word) });
    await done(house, leaving.leaveAll, ann, { password: ann.password });
    await runDueJobs(scene, 'chat');
    const next = { conversationId, ...scene.seal(bob, garden, 'After') };
    expect(await refused(house, groups.sendToGroup, bob, next)).toBe('409 EPOCH_CLOSED');
    expect(await refused(house, groups.showGroup, ann, { conversationId })).toBe('403 FORBIDDEN');
    const { items } = await done(house, messages.groupMessages, bob, { conversationId });
    expect(items).toMatchObject([{ encryptedContent: null, deleted: true }]);
  });

  it('goes on with the others where one fails, and is done when it is asked again', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const broken = await groupOf(house, [bob, ann]);
    house.clock.advance(1);
    const { conversationId: fine } = await sendDirect(house, ann, cleo, word);
    const { db } = house.ctx;
    const room = async (id: string, kind: string) =>
      await db.updateTable('room_key_heads').set({ kind }).where('room_id', '=', id).execute();
    await room(broken, 'lost');
    const job = { attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
    const leave = async () => await leavingHandler(house.ctx)({ memberId: ann.memberId }, job as never);
    await expect(leave()).rejects.toThrow('room_key_epochs');
    expect(await refused(house, messages.directMessages, cleo, { conversationId: fine })).toBe(
      '404 CONVERSATION_NOT_FOUND',
    );
    expect(await done(house, leaving.leavingState, ann, {})).toEqual({ leaving: false, conversations: 1 });
    await room(broken, 'conversation');
    await leave();
    expect(await done(house, leaving.leavingState, ann, {})).toEqual({ leaving: false, conversations: 0 });
  });
});
