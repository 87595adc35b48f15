import { describe, expect, it } from 'vitest';
import { bots } from '../../../src/contract/chat/bots.ts';
import { channels } from '../../../src/contract/chat/channels.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { search } from '../../../src/contract/chat/search.ts';
import { inspectText } from '../../../src/base/log-fields.ts';
import { engines } from '../../support/stores.ts';
import { openBots } from './bot-scene.ts';
import { channelOf, done, groupOf, refused, sendDirect } from './chat-scene.ts';
import { openClients } from './client-scene.ts';

const scope = (id: string, right: 'read' | 'write') => `chat:${id}:${right}`;
const lacking = '403 INSUFFICIENT_SCOPE';

describe.each(engines)('bot tokens on %s', (engine) => {
  it('write as their member, with their name, at the rates of the member, and read nothing for them', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const { token, botId } = await scene.bot(ann, [scope(conversationId, 'write')]);
    expect(token).toMatch(/^conclave-bot-[\w-]{43}$/);
    await done(house, groups.sendToGroup, bob, { conversationId, content: 'Unread' });
    const sent = await done(house, groups.sendToGroup, { token }, { conversationId, content: 'Version 2 is out' });
    expect(sent).toMatchObject({ senderId: ann.memberId, senderName: 'ann', via: 'deploys' });
    const messageId = sent.id;
    await done(house, messages.groupEditMessage, { token }, { conversationId, messageId, content: 'Version 3' });
    const { items } = await done(house, messages.groupMessages, bob, { conversationId });
    expect(items.map(({ content, via }) => [content, via])).toEqual([
      ['Unread', undefined],
      ['Version 3', 'deploys'],
    ]);
    expect((await done(house, groups.showGroup, ann, { conversationId })).unread).toBe(2);
    // A message more makes the member busy for a second more.
    await done(house, groups.sendToGroup, ann, { conversationId, content: 'By hand' });
    const [place] = await house.ctx.db
      .selectFrom('conversation_places')
      .select('busy_until')
      .where('member_id', '=', ann.memberId)
      .execute();
    expect(place?.busy_until).toBe(house.clock.now() + 2_000);
    await done(house, groups.updateGroup, ann, { conversationId, name: 'Garden 2' });
    const [listed] = (await done(house, bots.bots, ann, {})).items;
    expect(listed).toMatchObject({
      botId,
      name: 'deploys',
      scopes: [scope(conversationId, 'write')],
      conversations: [{ conversationId, type: 'group', title: 'Garden 2', right: 'write' }],
      lastUsedAt: new Date(house.clock.now()).toISOString(),
      expiresAt: null,
    });
    expect(JSON.stringify(listed)).not.toContain('conclave-bot');
    expect((await done(house, bots.bots, bob, {})).items).toEqual([]);
    expect(await refused(house, bots.removeBot, bob, { botId })).toBe('404 BOT_NOT_FOUND');
    expect(JSON.stringify(await house.ctx.db.selectFrom('bot_tokens').selectAll().execute())).not.toContain(token);
    expect(JSON.stringify(house.log)).not.toContain(token);
    expect(inspectText(`unexpected header ${token}`)).toBe('unexpected header [bot token]');
  });

  it('do nothing in other conversations, and say nothing of them', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob, cleo } = scene;
    const [own, other] = [await channelOf(house, [ann, bob]), await channelOf(house, [ann], { name: 'other' })];
    const told = await sendDirect(house, ann, bob, 'Between us');
    await done(house, channels.sendToChannel, ann, { conversationId: own, content: 'Apples here' });
    await done(house, channels.sendToChannel, ann, { conversationId: other, content: 'Apples there' });
    const { token } = await scene.bot(ann, [scope(own, 'write')]);
    const content = 'Hello';
    for (const conversationId of [other, 'f'.repeat(32)]) {
      expect(await scene.answer(token, channels.sendToChannel, { conversationId, content })).toBe(lacking);
      expect(await scene.answer(token, messages.channelMessages, { conversationId })).toBe(lacking);
      expect(await scene.answer(token, search.searchChannel, { conversationId, query: 'apples' })).toBe(lacking);
    }
    // To nobody of a conversation that it is not for, and it begins none.
    for (const { memberId: recipientId } of [ann, bob, cleo])
      expect(await scene.answer(token, direct.sendDirect, { recipientId, content })).toBe(lacking);
    // Of another type it is another conversation.
    expect(await scene.answer(token, messages.groupMessages, { conversationId: own })).toBe(
      '404 CONVERSATION_NOT_FOUND',
    );
    for (const q of ['apples', `apples in:${other}`, `apples in:other`]) {
      const found = await done(house, search.searchChat, { token }, { q });
      expect(found.items.map((item) => item.content)).toEqual(q === 'apples' ? ['Apples here'] : []);
    }
    const pair = await scene.bot(ann, [scope(told.conversationId, 'write')]);
    const answer = { recipientId: bob.memberId, content: 'From a program' };
    expect(await done(house, direct.sendDirect, { token: pair.token }, answer)).toMatchObject({ via: 'deploys' });
    expect(await scene.answer(token, members.channelMembers, { conversationId: own })).toBe('200 success');
  });

  it('change and delete what was written with them alone', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob } = scene;
    const conversationId = await groupOf(house, [ann, bob]);
    const say = async (token: string) => {
      house.clock.advance(1);
      return (await done(house, groups.sendToGroup, { token }, { conversationId, content: 'Text' })).id;
    };
    const [first, second] = [
      await scene.bot(ann, [scope(conversationId, 'write')]),
      await scene.bot(ann, [scope(conversationId, 'write')]),
    ];
    // Its member may delete what anybody says: the token may not.
    for (const messageId of [await say(ann.token), await say(bob.token), await say(second.token)]) {
      const input = { conversationId, messageId };
      expect(await scene.answer(first.token, messages.groupDeleteMessage, input)).toBe('403 FORBIDDEN');
      const edit = { ...input, content: 'Changed' };
      expect(await scene.answer(first.token, messages.groupEditMessage, edit)).toBe('403 FORBIDDEN');
    }
    const input = { conversationId, messageId: await say(first.token) };
    expect(await scene.answer(first.token, messages.groupReact, { ...input, emoji: '👍' })).toBe('201 success');
    expect(await scene.answer(first.token, messages.groupDeleteMessage, input)).toBe('200 success');
  });

  it('read and upload only files of their conversations', async () => {
    await using scene = await openBots(engine);
    const { house, ann, bob } = scene;
    const [own, other] = [await groupOf(house, [ann, bob]), await groupOf(house, [ann, bob])];
    const upload = async (token: string): Promise<string> => {
      const answer = await house.api('POST', '/api/chat/attachments?filename=a.txt', {
        token,
        rawBody: 'bytes',
        headers: { 'content-type': 'text/plain', 'content-length': '5' },
      });
      return answer.body.data?.id ?? answer.body.error.reason;
    };
    const read = async (token: string, id: string) =>
      (await house.api('GET', `/api/chat/attachments/${id}`, { token })).status;
    const [reading, writing] = [
      await scene.bot(ann, [scope(own, 'read')]),
      await scene.bot(ann, [scope(own, 'write')]),
    ];
    expect(await upload(reading.token)).toBe('INSUFFICIENT_SCOPE');
    const [waiting, hidden, shared] = [await upload(ann.token), await upload(ann.token), await upload(writing.token)];
    const send = async (token: string, conversationId: string, id: string) =>
      await done(house, groups.sendToGroup, { token }, { conversationId, content: 'File', attachments: [id] });
    await send(ann.token, other, hidden);
    await send(writing.token, own, shared);
    expect(await Promise.all([waiting, hidden, shared].map(async (id) => await read(reading.token, id)))).toEqual([
      404, 404, 200,
    ]);
    expect(await read(ann.token, waiting)).toBe(200);
  });

  it('are for conversations of their maker that the node can read, each named once, at most 50', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const make = async (scopes: string[], more: object = {}) =>
      await refused(house, bots.createBot, ann, { name: 'deploys', scopes, ...more });
    const garden = await scene.group([ann, bob]);
    expect(await make([scope(garden.id, 'read')])).toBe('409 PROGRAMS_CANNOT_READ');
    const foreign = await groupOf(house, [bob, cleo]);
    expect(await make([scope(foreign, 'read')])).toBe('403 FORBIDDEN');
    expect(await make([scope('f'.repeat(32), 'read')])).toBe('404 CONVERSATION_NOT_FOUND');
    const own = await groupOf(house, [ann, bob]);
    for (const scopes of [[], ['chat'], [scope(own, 'read'), scope(own, 'write')], [`mail:${own}:read`]])
      expect(await make(scopes), scopes.join()).toBe('400 VALIDATION_ERROR');
    const past = new Date(house.clock.now()).toISOString();
    expect(await make([scope(own, 'read')], { expiresAt: past })).toBe('400 VALIDATION_ERROR');
    for (let at = 0; at < 50; at += 1) {
      house.clock.advance(1);
      await done(house, bots.createBot, ann, { name: `bot ${at}`, scopes: [scope(own, 'read')] });
    }
    expect(await make([scope(own, 'read')])).toBe('409 BOTS_FULL');
  });
});
