import { describe, expect, it } from 'vitest';
import { bots } from '../../../../src/contract/chat/bots.ts';
import { channels } from '../../../../src/contract/chat/channels.ts';
import { groups } from '../../../../src/contract/chat/groups.ts';
import { invites } from '../../../../src/contract/chat/invites.ts';
import { members } from '../../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../../src/contract/chat/message.ts';
import { messages } from '../../../../src/contract/chat/messages.ts';
import { moderation } from '../../../../src/contract/chat/moderation.ts';
import { chat } from '../../../../src/contract/chat.ts';
import type { JsonOperation, Operation } from '../../../../src/contract/operation.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import type { TestListener } from '../../../platform/realtime/hearing.ts';
import { eventually } from '../../../support/eventually.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { ask } from '../../notifications/notifying.ts';
import { openHeard } from '../../social/heard-scene.ts';
import { done } from '../chat-scene.ts';
import { openFiles, type FilesScene } from '../files-scene.ts';

type RoomType = 'group' | 'channel';

/** What all texts and names of the conversation have that are not for everybody. */
const secret = 'quokka';

const of = {
  group: {
    add: members.groupAddMembers,
    leave: members.groupLeave,
    kick: moderation.groupKick,
    ban: moderation.groupBan,
  },
  channel: {
    add: members.channelAddMembers,
    leave: members.channelLeave,
    kick: moderation.channelKick,
    ban: moderation.channelBan,
  },
} as const;
const edits = { group: messages.groupEditMessage, channel: messages.channelEditMessage } as const;
const pinning = { group: messages.groupPin, channel: messages.channelPin } as const;
const unpinning = { group: messages.groupUnpin, channel: messages.channelUnpin } as const;
const deleting = { group: messages.groupDeleteMessage, channel: messages.channelDeleteMessage } as const;
const unreacting = { group: messages.groupUnreact, channel: messages.channelUnreact } as const;
const reacting = { group: messages.groupReact, channel: messages.channelReact } as const;

/** Everything that reads in conversations of a type, or in all of them. */
function readingOperations(type: RoomType): JsonOperation[] {
  const others = { group: /^\/api\/(channels|conversations\/)/, channel: /^\/api\/(groups|conversations\/)/ }[type];
  return Object.values<Operation>(chat).filter(
    (op): op is JsonOperation => op.method === 'GET' && op.form !== 'raw' && !others.test(op.path),
  );
}

/** A conversation in which sam said something secret, with all that can belong to a message. */
async function openSecret(scene: FilesScene, type: RoomType) {
  const { house, ann } = scene;
  const register = async (username: string) => await house.register({ username });
  const people = {
    sam: await register('sam'),
    reader: await register('reader'),
    blocker: await register('blocker'),
    blocked: await register('blocked'),
    left: await register('left'),
    kicked: await register('kicked'),
    banned: await register('banned'),
    suspended: await register('suspended'),
    later: await register('later'),
    stranger: await register('stranger'),
  };
  const { sam, reader, blocker, blocked, left, kicked, banned, suspended } = people;
  const memberIds = [sam, reader, blocker, blocked, left, kicked, banned, suspended].map(({ memberId }) => memberId);
  let conversationId: string;
  if (type === 'group') conversationId = (await done(house, groups.createGroup, ann, { name: 'Garden', memberIds })).id;
  else {
    const input = { name: 'garden', visibility: 'private', historyVisibleToNewMembers: false } as const;
    conversationId = (await done(house, channels.createChannel, ann, input)).id;
    await done(house, members.channelAddMembers, ann, { conversationId, memberIds });
  }
  const say = async (who: HouseMember, content: string, more: object = {}): Promise<ChatMessage> => {
    house.clock.advance(1);
    const send = { group: groups.sendToGroup, channel: channels.sendToChannel }[type];
    return await done(house, send, who, { conversationId, content, ...more });
  };
  const file = await scene.uploaded(sam, `${secret} in a file`, { filename: `${secret}.txt` });
  const first = await say(sam, `${secret} one`, { attachments: [file.id] });
  const about = { conversationId, messageId: first.id };
  const edited = await done(house, edits[type], sam, { ...about, content: `${secret} two, @reader` });
  await done(house, pinning[type], ann, about);
  const { reactionId } = await done(house, reacting[type], reader, { ...about, emoji: '👍' });
  await say(ann, 'Well', { replyToMessageId: first.id });
  const last = await say(sam, `${secret} at the end`);
  const scopes = [`chat:${conversationId}:write`];
  await done(house, bots.createBot, sam, { name: `${secret} program`, scopes });
  const token =
    type === 'group' ? 'A'.repeat(32) : (await done(house, invites.createInvite, ann, { conversationId })).token;
  await scene.block(blocker, sam);
  await scene.block(sam, blocked);
  await done(house, of[type].leave, left, { conversationId });
  await done(house, of[type].kick, ann, { conversationId, memberId: kicked.memberId });
  await done(house, of[type].ban, ann, { conversationId, memberId: banned.memberId });
  await scene.suspend(suspended);
  await done(house, of[type].add, ann, { conversationId, memberIds: [people.later.memberId] });
  // Notifications of messages come a while after them.
  await scene.later(10_000);
  const sealed = [edited.encryptedContent, last.encryptedContent].map(String);
  const fields: Record<string, unknown> = {
    ...about,
    reactionId,
    q: secret,
    query: secret,
    invite: token,
    inviteToken: token,
    memberId: sam.memberId,
    memberIds: [sam.memberId],
  };
  return { ...people, conversationId, file, first, about, fields, sealed, say, type };
}

type World = Awaited<ReturnType<typeof openSecret>>;

/** What somebody is answered in everything that reads: where there is something secret, and which codes there are. */
async function read(scene: FilesScene, world: World, who: HouseMember | undefined) {
  const { house } = scene;
  const telling: string[] = [];
  const codes = new Map<string, string>();
  const look = (where: string, status: number, text: string, code: string): void => {
    codes.set(where, `${status} ${code}`);
    if ([secret, ...world.sealed].some((what) => text.includes(what))) telling.push(where);
  };
  const perform = async (where: string, operation: JsonOperation, input: object) => {
    const { status, body } = await house.perform(operation, input, who?.token);
    look(where, status, JSON.stringify(body), body.error?.reason ?? '');
  };
  for (const operation of readingOperations(world.type)) {
    const names = Object.keys(operation.input.entries).filter((name) => name in world.fields);
    const input = Object.fromEntries(names.map((name) => [name, world.fields[name]]));
    await perform(operation.id, operation, input);
    if (!('around' in operation.input.entries)) continue;
    await perform(`${operation.id} around`, operation, { ...input, around: world.first.id });
    await perform(`${operation.id} after`, operation, { ...input, after: 0 });
  }
  const request = who === undefined ? {} : { token: who.token };
  const file = await house.api('GET', `/api/chat/attachments/${world.file.id}`, request);
  look('file', file.status, JSON.stringify(file.body), file.body.error?.reason ?? '');
  return { telling: telling.toSorted(), codes };
}

async function openHeardSecret(engine: EngineName, type: RoomType) {
  const heard = await openHeard(async (options) => await openFiles(engine, options));
  return { ...heard, world: await openSecret(heard.scene, type) };
}

describe.each(engines)('what was said in a conversation on %s', (engine) => {
  it.each(['group', 'channel'] as const)(
    'reaches those who may read it, and nobody else by any way: %s',
    async (type) => {
      await using setting = await openHeardSecret(engine, type);
      const { scene, world, listen } = setting;
      const { house } = scene;
      const everywhere = [
        `chat.${type}-message`,
        `chat.${type}-messages`,
        `chat.${type}-messages after`,
        `chat.${type}-messages around`,
        `chat.${type}-pins`,
        `chat.${type}-thread`,
        `chat.${type}-threads`,
        type === 'group' ? 'chat.groups' : 'chat.joined-channels',
        `chat.${type}`,
        'chat.search',
        ...(type === 'channel' ? ['chat.search-channel'] : []),
        'file',
      ];
      expect((await read(scene, world, world.reader)).telling).toEqual(everywhere.toSorted());
      // His programs are his own business.
      expect((await read(scene, world, world.sam)).telling).toEqual([...everywhere, 'chat.bots'].toSorted());
      const { blocker, blocked, left, kicked, banned, suspended, later, stranger } = world;
      for (const who of [blocker, blocked, left, kicked, banned, suspended, later, stranger, undefined]) {
        const { telling, codes } = await read(scene, world, who);
        const name = who?.username ?? 'nobody';
        expect([name, telling]).toEqual([name, []]);
        const list = codes.get(`chat.${type}-messages`);
        if (who === undefined || who === suspended) {
          expect([name, new Set(codes.values())]).toEqual([name, new Set(['401 UNAUTHORIZED'])]);
        } else if ([blocker, blocked, later].includes(who)) {
          expect([name, list, codes.get('file')]).toEqual([name, '200 ', '404 ATTACHMENT_NOT_FOUND']);
        } else expect([name, list, codes.get('file')]).toEqual([name, '403 FORBIDDEN', '404 ATTACHMENT_NOT_FOUND']);
        if (who === undefined || who === suspended) continue;
        expect(JSON.stringify(await ask(house, who, 'GET'))).not.toContain(secret);
      }
      for (const who of [left, kicked, banned, stranger])
        expect(await listen(who, `conversation:${world.conversationId}`, 0)).toBeUndefined();
    },
  );

  it.each(['group', 'channel'] as const)(
    'is heard by those who may read it, again and when it is changed later: %s',
    async (type) => {
      await using setting = await openHeardSecret(engine, type);
      const { scene, world, listen } = setting;
      const topic = `conversation:${world.conversationId}`;
      const { reader, blocker, blocked, later, sam } = world;
      const hears = new Map<string, TestListener>();
      for (const who of [reader, blocker, blocked, later]) hears.set(who.username, (await listen(who, topic, 0))!);
      const told = (who: HouseMember) =>
        hears.get(who.username)!.heard.filter((frame) => {
          const text = JSON.stringify(frame);
          return [secret, ...world.sealed].some((what) => text.includes(what));
        });
      await eventually(() => expect(told(reader)).toHaveLength(3));
      await done(scene.house, edits[type], sam, { ...world.about, content: `${secret} three` });
      await world.say(scene.ann, 'The last one');
      for (const who of [reader, blocker, blocked, later])
        await eventually(() => expect(JSON.stringify(hears.get(who.username)!.heard)).toContain('The last one'));
      expect(told(reader)).toHaveLength(4);
      for (const who of [blocker, blocked, later]) expect([who.username, told(who)]).toEqual([who.username, []]);
    },
  );

  it.each(['group', 'channel'] as const)(
    'is nothing whose reactions are heard by those who do not see it, live or again: %s',
    async (type) => {
      await using setting = await openHeardSecret(engine, type);
      const { scene, world, listen } = setting;
      const topic = `conversation:${world.conversationId}`;
      const { house, ann } = scene;
      const { reader, blocker, blocked, later, sam, about } = world;
      const people = [reader, blocker, blocked, later];
      const live = new Map<HouseMember, TestListener>();
      for (const who of people) live.set(who, (await listen(who, topic))!);
      const { reactionId } = await done(house, reacting[type], reader, { ...about, emoji: '🌳' });
      await done(house, unreacting[type], reader, { ...about, reactionId });
      await done(house, unpinning[type], ann, about);
      await done(house, pinning[type], ann, about);
      await done(house, deleting[type], sam, about);
      await world.say(ann, 'The last one');
      const again = new Map<HouseMember, TestListener>();
      for (const who of people) again.set(who, (await listen(who, topic, 0))!);
      const heardOf = async (listener: TestListener) => {
        await eventually(() => expect(JSON.stringify(listener.heard)).toContain('The last one'));
        return listener.heard
          .filter((frame) => (frame['data'] as { messageId?: string } | undefined)?.messageId === about.messageId)
          .map((frame) => String(frame['type']).replace('communication:', ''));
      };
      const reactions = ['reaction_added', 'reaction_removed'];
      // What is hidden has its place, and others hear what becomes of that.
      const place = ['message_unpinned', 'message_pinned', 'message_deleted'];
      expect(await heardOf(live.get(reader)!)).toEqual([...reactions, ...place]);
      expect((await heardOf(again.get(reader)!)).slice(-5)).toEqual([...reactions, ...place]);
      for (const who of [blocker, blocked]) {
        expect([who.username, await heardOf(live.get(who)!)]).toEqual([who.username, place]);
        expect([who.username, (await heardOf(again.get(who)!)).slice(-3)]).toEqual([who.username, place]);
        expect(await heardOf(again.get(who)!)).not.toEqual(expect.arrayContaining([expect.stringMatching('reaction')]));
      }
      expect(await heardOf(live.get(later)!)).toEqual([]);
      expect(await heardOf(again.get(later)!)).toEqual([]);
    },
  );
});
