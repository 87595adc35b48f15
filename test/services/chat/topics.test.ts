import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { parseFrame } from '../../../src/platform/realtime/frames.ts';
import type { FrameSender } from '../../../src/service/ports/realtime.ts';
import { Problem } from '../../../src/base/problem.ts';
import { chatSocketFrames } from '../../../src/services/chat/topics.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openHeard } from '../social/heard-scene.ts';
import { channelOf, done, groupOf } from './chat-scene.ts';
import { openChat, type ChatScene } from './scene.ts';

type Heard = NonNullable<Awaited<ReturnType<Awaited<ReturnType<typeof openHeard>>['listen']>>>;

const open = async (engine: EngineName) => await openHeard(async (options) => await openChat(engine, options));

/** What a listener heard of messages: the event, the number, and what it says. */
const spoken = ({ heard }: Heard) =>
  heard.flatMap(({ type, data }) => {
    const at = type.replace('communication:message_', '');
    return ['sent', 'edited', 'deleted'].includes(at)
      ? [`${at} ${data.seq} ${data.message?.content ?? ''}`.trim()]
      : [];
  });
const names = ({ heard }: Heard) => heard.map(({ type }) => type.replace(/^communication:|^conversation:/, ''));

/** Sends a frame as a socket of a member does. @returns its answer, or the code of the refusal */
async function frame({ house }: ChatScene, { memberId }: HouseMember, type: string, fields: object) {
  const rules = new Map(chatSocketFrames(house.ctx).map((one) => [one.frame.type, one]));
  const parsed = parseFrame(JSON.stringify({ type, ...fields }), rules);
  if (!('rules' in parsed)) return 'fault' in parsed ? parsed.fault : undefined;
  const sender: FrameSender = {
    listener: listenerOf(memberId),
    subscribe: async (topic) => topic.startsWith('conversation:'),
    unsubscribe: () => undefined,
  };
  try {
    return await parsed.rules.perform(sender, parsed.input);
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe.each(engines)('conversations in real time on %s', (engine) => {
  it('are heard by their members alone, and say at a replay what messages say then', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { ann, bob, cleo, house } = scene;
    const first = await scene.say(ann, bob, 'One');
    const topic = `conversation:${first.conversationId}`;
    const path = `/${first.conversationId}/messages`;
    expect(await listen(cleo, topic)).toBeUndefined();
    expect(await listen(bob, `conversation:${'0'.repeat(32)}`)).toBeUndefined();
    expect(await listen(cleo, `inbox:${bob.memberId}`)).toBeUndefined();
    const live = (await listen(bob, topic))!;
    const second = await scene.say(ann, bob, 'Two', { clientId: 'mine' });
    await scene.ask(ann, 'PUT', `${path}/${first.id}`, { content: 'One, corrected' });
    await eventually(() => expect(spoken(live)).toEqual(['sent 2 Two', 'edited 1 One, corrected']));
    const { message } = live.heard[0]!.data;
    expect(message).toMatchObject({
      id: second.id,
      clientId: 'mine',
      senderId: ann.memberId,
      recipientId: bob.memberId,
    });
    expect(message).not.toHaveProperty('editHistory');
    await scene.ask(ann, 'DELETE', `${path}/${second.id}`);
    await eventually(() => expect(spoken(live).at(-1)).toBe('deleted 2'));
    const again = (await listen(ann, topic, 0))!;
    await eventually(() =>
      expect(spoken(again)).toEqual(['sent 1 One, corrected', 'edited 1 One, corrected', 'deleted 2']),
    );
    expect(JSON.stringify(again.heard)).not.toContain('Two');
    // Of the text nothing is stored.
    const stored = await house.ctx.db.selectFrom('events').select('data').where('topic', '=', topic).execute();
    expect(JSON.stringify(stored)).not.toMatch(/One|Two/);
  });

  it('tell a member what concerns them in any, and withhold from each what is not for them', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { ann, bob, cleo } = scene;
    const inbox = (await listen(bob, `inbox:${bob.memberId}`))!;
    const { conversationId } = await scene.say(ann, bob, 'One');
    const [annHears, bobHears] = [
      (await listen(ann, `conversation:${conversationId}`))!,
      (await listen(bob, `conversation:${conversationId}`))!,
    ];
    const settled = async (many: number) => await eventually(() => expect(inbox.heard.length).toBe(many));
    await settled(2);
    // What can't be replayed may come before what can.
    expect(names(inbox).toSorted()).toEqual(['activity', 'added']);
    expect(inbox.heard.find(({ type }) => type === 'conversation:added')?.data).toEqual({
      contextType: 'direct',
      contextId: conversationId,
      conversationId,
    });
    await scene.ask(ann, 'POST', `/${conversationId}/typing`);
    await scene.ask(bob, 'POST', `/${conversationId}/read`);
    await settled(3);
    await eventually(() => expect(names(annHears)).toEqual(['message_read']));
    await eventually(() => expect(names(bobHears)).toEqual(['typing_start', 'message_read']));
    await scene.block(bob, ann);
    expect((await scene.call(ann, 'POST', `/${conversationId}/typing`)).status).toBe(404);
    await scene.say(cleo, bob, 'And I');
    await settled(5);
    expect(names(inbox).toSorted()).toEqual(['activity', 'activity', 'added', 'added', 'read_elsewhere']);
    expect(names(bobHears)).toEqual(['typing_start', 'message_read']);
  });

  it('tell a member of names, mentions and keys also where they hear nothing else, and store none of it', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { house, ann, bob, cleo } = scene;
    const [groupId, channelId] = [await groupOf(house, [ann, bob, cleo]), await channelOf(house, [ann, bob, cleo])];
    const inboxes = [
      (await listen(ann, `inbox:${ann.memberId}`))!,
      (await listen(bob, `inbox:${bob.memberId}`))!,
      (await listen(cleo, `inbox:${cleo.memberId}`))!,
    ];
    const stored = async () =>
      await house.ctx.db.selectFrom('events').select('name').where('topic', 'like', 'inbox:%').execute();
    const before = await stored();
    const what = ({ heard }: Heard) =>
      heard.flatMap(({ type, data }) =>
        type === 'conversation:activity' ? [] : [[type.split(':')[1], data.name ?? data.messageId ?? data.reason]],
      );
    const all = async (...expected: readonly (readonly unknown[])[][]) =>
      await eventually(() => expect(inboxes.map(what)).toEqual(expected));
    await done(house, groups.updateGroup, ann, { conversationId: groupId, name: 'Orchard' });
    await done(house, groups.updateGroup, ann, { conversationId: groupId, slowModeSeconds: 0 });
    await done(house, channels.updateChannel, ann, { conversationId: channelId, name: 'orchard' });
    await done(house, channels.updateChannel, ann, { conversationId: channelId, topic: 'Pears' });
    const renamed = [
      ['renamed', 'Orchard'],
      ['renamed', 'orchard'],
    ];
    await all(renamed, renamed, renamed);
    // Cleo sees nothing of Ann, and so nobody tells her that Ann names her.
    await scene.block(cleo, ann);
    const say = async (content: string) =>
      await done(house, groups.sendToGroup, ann, { conversationId: groupId, content });
    const [one, two] = [await say(`@${bob.username} @${cleo.username}`), await say('@all')];
    const edit = async (messageId: string, content: string) =>
      await done(house, messages.groupEditMessage, ann, { conversationId: groupId, messageId, content });
    // Those who were named before are not told again.
    await edit(one.id, `@all @${bob.username}`);
    await edit(two.id, `@${bob.username}`);
    const three = await say('Nobody');
    await edit(three.id, '@all');
    const named = [...renamed, ['mentioned', one.id], ['mentioned', two.id], ['mentioned', three.id]];
    await all(renamed, named, renamed);
    expect(inboxes[1]!.heard.find(({ type }) => type === 'conversation:mentioned')?.data).toEqual({
      contextType: 'group',
      contextId: groupId,
      conversationId: groupId,
      seq: 1,
      messageId: one.id,
      threadId: null,
      senderId: ann.memberId,
    });
    expect(await stored()).toEqual(before);
    await done(house, members.groupLeave, cleo, { conversationId: groupId });
    await eventually(() => expect(what(inboxes[2]!).at(-1)).toEqual(['removed', undefined]));
    await done(house, channels.updateChannel, ann, { conversationId: channelId, historyVisibleToNewMembers: false });
    const keys = [
      ['key_rotated', 'member_left'],
      ['key_rotated', 'history_changed'],
    ];
    await all([...renamed, ...keys], [...named, ...keys], [...renamed, ['removed', undefined], keys[1]!]);
    expect((await stored()).length).toBe(before.length + 1);
  });

  it('are served by frames as by requests', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'One');
    const send = { conversationId, content: 'Two', clientId: 'c1', replyToMessageId: id };
    const sent = await frame(scene, bob, 'message:send', send);
    expect(sent).toMatchObject({ clientId: 'c1', seq: 2 });
    expect(await frame(scene, bob, 'message:send', { ...send, content: 'Other' })).toEqual(sent);
    expect(await scene.ask(ann, 'GET', `/${conversationId}/messages?after=1`)).toMatchObject({
      items: [{ content: 'Two', replyToMessageId: id, clientId: 'c1' }],
    });
    expect(await frame(scene, ann, 'message:read', { conversationId })).toBeUndefined();
    expect(await scene.ask(ann, 'GET', '')).toMatchObject({ items: [{ unread: 0, readSeq: 2 }] });
    expect(await frame(scene, ann, 'message:typing', { conversationId })).toBeUndefined();
    expect(await frame(scene, ann, 'subscribe:conversation', { conversationId })).toMatchObject({
      count: 1,
      refused: 0,
    });
    expect(await frame(scene, ann, 'unsubscribe:conversation', { conversationId })).toEqual({ count: 1 });
    const nowhere = { conversationId: '0'.repeat(32) };
    for (const [type, more] of [
      ['message:send', { content: 'Hi', clientId: 'c2' }],
      ['message:read', {}],
      ['message:typing', {}],
    ] as const) {
      expect(await frame(scene, cleo, type, { conversationId, ...more })).toBe('FORBIDDEN');
      expect(await frame(scene, cleo, type, { ...nowhere, ...more })).toBe('CONVERSATION_NOT_FOUND');
    }
    expect(await frame(scene, ann, 'message:send', { conversationId, content: 'Without an id' })).toBe('MALFORMED');
    expect(await frame(scene, ann, 'message:send', { ...send, content: ' ' })).toBe('MALFORMED');
    const attached = { ...send, clientId: 'c4', attachments: ['0'.repeat(32)] };
    expect(await frame(scene, ann, 'message:send', attached)).toBe('INVALID_ATTACHMENT');
    expect(await frame(scene, ann, 'presence:set', { status: 'idle' })).toBeUndefined();
    const { memberId } = ann;
    expect(await frame(scene, ann, 'presence:watch', { memberIds: [memberId] })).toEqual({
      members: [{ memberId, status: 'offline' }],
    });
    expect(await frame(scene, ann, 'presence:watch', { memberIds: [] })).toEqual({ members: [] });
    const tooMany = Array.from({ length: 201 }, (_, at) => String(at).padStart(24, '0'));
    expect(await frame(scene, ann, 'presence:watch', { memberIds: tooMany })).toBe('MALFORMED');
    await scene.block(bob, ann);
    for (const who of [ann, bob])
      for (const [type, more] of [
        ['message:send', { content: 'Hi', clientId: 'c3' }],
        ['message:typing', {}],
      ] as const)
        expect(await frame(scene, who, type, { conversationId, ...more })).toBe('MEMBER_NOT_FOUND');
  });
});
