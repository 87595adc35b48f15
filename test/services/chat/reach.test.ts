import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { channels } from '../../../src/contract/chat/channels.ts';
import type { ContextType } from '../../../src/contract/chat/conversation.ts';
import type { JsonOperation } from '../../../src/contract/operation.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { foundIn } from '../../support/needles.ts';
import { engines } from '../../support/stores.ts';
import { allRows } from '../passvault/store-contents.ts';
import { channelOf, done, groupOf } from './chat-scene.ts';
import { openChat, said, type ChatScene } from './scene.ts';

type Who = ChatScene['ann'];

/** The operations on conversations of each type, and what else they are asked with. */
const all: readonly JsonOperation[] = [messages, places, members, moderation].flatMap((group) => Object.values(group));
const bodyOf: Readonly<Record<string, object>> = {
  'edit-message': { content: 'Theirs' },
  react: { emoji: '👍' },
  mute: { durationMs: 1000 },
  'set-role': { role: 'member' },
  'add-members': { memberIds: ['0'.repeat(24)] },
};

/** What an outsider can see of an answer. What is random in headers, or counts, is left out. */
async function observed(work: () => Promise<Awaited<ReturnType<ChatScene['call']>>>) {
  const { result, statements } = await ownStatements(work);
  const headers = [...result.headers].filter(([name]) => !/request-id|date/.test(name));
  return { status: result.status, body: result.body, headers, statements };
}

describe.each(engines)('who reaches whom in conversations on %s', (engine) => {
  it('is told alike of members who are unknown, suspended or parted by a block, also when there is a conversation', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const [dan, eve, fay] = [await house.register(), await house.register(), await house.register()];
    // With two of them there is one from before.
    for (const other of [bob, fay]) await scene.say(ann, other, 'Before');
    await scene.block(bob, ann);
    await scene.block(ann, cleo);
    await scene.block(dan, ann);
    for (const who of [eve, fay]) await scene.suspend(who);
    const send = async ({ memberId }: Pick<Who, 'memberId'>, from = ann) =>
      await observed(async () => await scene.call(from, 'POST', '', { recipientId: memberId, content: 'Hello' }));
    const unknown = await send({ memberId: '0'.repeat(24) });
    expect(unknown).toMatchObject({ status: 404, body: { error: { reason: 'MEMBER_NOT_FOUND' } } });
    for (const other of [bob, cleo, dan, eve, fay]) expect(await send(other)).toEqual(unknown);
    expect(await send(ann, cleo)).toEqual(unknown);
    expect((await send(ann)).body.error).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('keeps what both have said, and lets nobody say or mark more, while a block parts them', async () => {
    await using scene = await openChat(engine);
    const { ann, bob } = scene;
    const { id, conversationId } = await scene.say(ann, bob, 'One');
    const path = `/${conversationId}/messages/${id}`;
    const { reactionId } = await scene.ask(bob, 'POST', `${path}/reactions`, { emoji: '👍' });
    await scene.block(ann, bob);
    for (const who of [ann, bob]) {
      expect(await scene.ask(who, 'GET', `/${conversationId}/messages`)).toMatchObject({ items: [{ content: 'One' }] });
      for (const [method, more, body] of [
        ['PUT', '', { content: 'Two' }],
        ['POST', '/reactions', { emoji: '👎' }],
        ['POST', '/pin'],
        ['DELETE', '/pin'],
      ] as const)
        expect(said(await scene.call(who, method, path + more, body))).toBe('404 MEMBER_NOT_FOUND');
    }
    // What one has said or marked can be taken back.
    expect((await scene.call(bob, 'DELETE', `${path}/reactions/${reactionId}`)).status).toBe(200);
    expect((await scene.call(ann, 'DELETE', path)).status).toBe(200);
    await scene.unblock(ann, bob);
    expect((await scene.say(bob, ann, 'Again')).conversationId).toBe(conversationId);
  });

  it('is only for its members: strangers get 403 without content, and nobody a message of another conversation', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, cleo, house } = scene;
    const { id: messageId, conversationId } = await scene.say(ann, bob, 'Something secret');
    const other = await scene.say(ann, cleo, 'Else');
    const group = await groupOf(house, [ann, bob]);
    const another = await done(house, groups.sendToGroup, ann, { conversationId: group, content: 'Another secret' });
    const channel = await channelOf(house, [ann, bob], { visibility: 'private' });
    const third = await done(house, channels.sendToChannel, ann, {
      conversationId: channel,
      content: 'A third secret',
    });
    const targets = {
      direct: { conversationId, messageId },
      group: { conversationId: group, messageId: another.id },
      channel: { conversationId: channel, messageId: third.id },
    };
    const reacted = { direct: messages.directReact, group: messages.groupReact, channel: messages.channelReact };
    for (const operation of all) {
      const [, type = '', verb = ''] = /^chat\.(direct|group|channel)-(.*)$/.exec(operation.id) ?? [];
      const target = targets[type as ContextType];
      const { reactionId } = await done(house, reacted[type as ContextType], ann, { ...target, emoji: '👍' });
      const body = bodyOf[verb] ?? {};
      const input = { ...target, reactionId, memberId: bob.memberId };
      const inPath = Object.entries(input).filter(([name]) => operation.path.includes(`:${name}`));
      const own = { ...Object.fromEntries(inPath), ...body };
      const ask = async (who: Who, change: object = {}) =>
        await house.perform(operation, { ...own, ...change }, who.token);
      const stranger = await ask(cleo);
      expect([operation.id, said(stranger)]).toEqual([operation.id, '403 FORBIDDEN']);
      expect(JSON.stringify(stranger.body)).not.toMatch(/secret|Else/);
      const nowhere = await ask(ann, { conversationId: '0'.repeat(32) });
      expect([operation.id, said(nowhere)]).toEqual([operation.id, '404 CONVERSATION_NOT_FOUND']);
      if (!operation.path.includes(':messageId')) continue;
      const elsewhere = await ask(ann, { messageId: other.id });
      expect([operation.id, said(elsewhere)]).toEqual([operation.id, '404 MESSAGE_NOT_FOUND']);
    }
    const reply = { recipientId: bob.memberId, content: 'To that', replyToMessageId: other.id };
    expect(said(await scene.call(ann, 'POST', '', reply))).toBe('404 MESSAGE_NOT_FOUND');
    expect(said(await scene.call(ann, 'GET', `/${conversationId}/messages?around=${other.id}`))).toBe(
      '404 MESSAGE_NOT_FOUND',
    );
    expect(said(await house.api('GET', '/api/conversations'))).toBe('401 UNAUTHORIZED');
  });

  it('leaves nothing of a text in the store or the log', async () => {
    await using scene = await openChat(engine);
    const { ann, bob, house } = scene;
    const texts = ['A very secret text', 'Another very secret text', 'The third secret text'];
    const { id, conversationId } = await scene.say(ann, bob, texts[0]!);
    const keyed = { 'idempotency-key': 'once' };
    const { status } = await scene.call(ann, 'POST', '', { recipientId: bob.memberId, content: texts[2] }, keyed);
    expect(status).toBe(201);
    await scene.ask(ann, 'PUT', `/${conversationId}/messages/${id}`, { content: texts[1] });
    await scene.later(10_000);
    const values = [...(await allRows(house.ctx)).values()].flat().flatMap((row) => Object.values(row));
    const bytes = Buffer.concat([
      ...values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(`${String(value)}\n`))),
      Buffer.from(JSON.stringify(house.log.lines)),
    ]);
    expect(bytes.includes(conversationId)).toBe(true);
    expect(foundIn(bytes, new Map(texts.map((text) => [text, Buffer.from(text)])))).toEqual([]);
  });
});
