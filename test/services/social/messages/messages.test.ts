import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/base/problem.ts';
import { messageLimits } from '../../../../src/contract/social/messages/limits.ts';
import { chatSocketFrames } from '../../../../src/services/chat/topics.ts';
import { listenerOf } from '../../../platform/realtime/hearing.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { contents } from '../../notifications/notifying.ts';
import { said } from '../scene.ts';
import { openMessages, type MessagesScene } from './scene.ts';

const { text: mostText, editMs, emoji: mostEmoji } = messageLimits;

/** Sends a message as a socket does. @returns the code of the refusal, or its number */
async function overSocket({ house }: MessagesScene, { memberId }: HouseMember, fields: object) {
  const rules = chatSocketFrames(house.ctx).find(({ frame }) => frame.type === 'message:send')!;
  const sender = { listener: listenerOf(memberId), subscribe: async () => true, unsubscribe: () => undefined };
  try {
    return await rules.perform(sender, { clientId: 'c', ...fields });
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe.each(engines)('messages on %s', (engine) => {
  it('have so many characters, by whichever way they come', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob } = scene;
    const id = await scene.friends(ann, bob);
    const path = `/conversations/${id}/messages`;
    for (const character of ['x', '🍵']) {
      const text = character.repeat(mostText);
      expect(await scene.say(ann, id, text)).toMatchObject({ content: text });
      expect(said(await scene.at(ann, 'POST', path, { content: text + character }))).toBe('400 VALIDATION_ERROR');
      expect(await overSocket(scene, ann, { conversationId: id, content: text + character })).toBe('VALIDATION_ERROR');
    }
    expect(await overSocket(scene, ann, { conversationId: id, content: 'x'.repeat(mostText) })).toHaveProperty(
      'seq',
      3,
    );
    const { _id } = await scene.say(ann, id, 'Short');
    for (const content of ['x'.repeat(mostText + 1), '', ' \n', 'bell \u0007', 7, undefined]) {
      expect(said(await scene.at(ann, 'POST', path, { content }))).toBe('400 VALIDATION_ERROR');
      expect(said(await scene.at(ann, 'PUT', `/${_id}`, { content }))).toBe('400 VALIDATION_ERROR');
    }
    // The same id of the client is the same message.
    const [one, other] = [
      await scene.say(ann, id, 'Once', { clientId: 'mine' }),
      await scene.say(ann, id, 'Twice', { clientId: 'mine' }),
    ];
    expect(other).toEqual(one);
    expect(one).toMatchObject({ content: 'Once', clientId: 'mine' });
    expect((await scene.say(bob, id, 'Mine', { clientId: 'mine' })).seq).toBe(one.seq + 1);
  });

  it('are changed by their senders, for so long', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const id = await scene.friends(ann, bob);
    const group = await scene.group(bob, ann);
    const [inPair, inGroup] = [await scene.say(ann, id, 'One'), await scene.say(ann, group, 'One')];
    const edit = async (who: HouseMember, { _id }: { _id: string }, content = 'Two') =>
      await scene.at(who, 'PUT', `/${_id}`, { content });
    for (const message of [inPair, inGroup]) {
      house.clock.advance(1);
      const { body } = await edit(ann, message);
      expect(body.data).toMatchObject({ _id: message['_id'], content: 'Two', seq: 1, createdAt: message.createdAt });
      expect(Date.parse(body.data.editedAt)).toBe(house.clock.now());
      expect(said(await edit(bob, message))).toBe('403 FORBIDDEN');
      expect(said(await edit(cleo, message))).toBe('404 MESSAGE_NOT_FOUND');
    }
    expect((await scene.listed(bob)).map((one) => one.lastMessagePreview)).toEqual(['Two', 'Two']);
    expect(await scene.read(bob, id)).toMatchObject([{ content: 'Two', senderUsername: 'ann' }]);
    house.clock.advance(editMs - (house.clock.now() - Date.parse(inPair.createdAt)));
    expect((await edit(ann, inPair, 'Three')).status).toBe(200);
    house.clock.advance(1);
    expect(said(await edit(ann, inPair))).toBe('400 MESSAGE_EDIT_OVER');
    expect(said(await edit(bob, inPair))).toBe('403 FORBIDDEN');
    // The window is the social network's alone, and a block ends it.
    const later = await scene.say(ann, id, 'Four');
    await scene.block(bob, ann);
    expect(said(await edit(ann, later))).toBe('404 MEMBER_NOT_FOUND');
    // Not even to what they have said themselves.
    const react = { emoji: '👍' };
    expect(said(await scene.at(ann, 'POST', `/${later['_id']}/reactions`, react))).toBe('404 MEMBER_NOT_FOUND');
  });

  it('are deleted by their senders alone, once, and for everybody', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob);
    const { _id } = await scene.say(bob, id, 'Something secret');
    const after = await scene.say(bob, id, 'After', { replyToMessageId: _id });
    await scene.do(ann, 'POST', `/${_id}/reactions`, { emoji: '👍' });
    for (const who of [ann, cleo])
      expect(said(await scene.at(who, 'DELETE', `/${_id}`))).toBe(
        who === ann ? '403 FORBIDDEN' : '404 MESSAGE_NOT_FOUND',
      );
    const answer = await scene.at(bob, 'DELETE', `/${_id}`);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(said(await scene.at(bob, 'DELETE', `/${_id}`))).toBe('400 MESSAGE_ALREADY_DELETED');
    const [gone, there] = await scene.read(ann, id);
    expect(gone).toMatchObject({ _id, seq: 1, content: null, senderId: bob.memberId, reactions: [], isHidden: false });
    expect(Date.parse(gone.deletedAt)).toBe(house.clock.now());
    expect(there).toMatchObject({ _id: after['_id'], replyToMessageId: _id });
    for (const [method, path, body] of [
      ['PUT', '', { content: 'Other' }],
      ['POST', '/forward', { targetConversationId: id }],
      ['POST', '/reactions', { emoji: '👍' }],
      ['POST', '/report', { reason: 'Bad' }],
    ] as const)
      expect([path, said(await scene.at(bob, method, `/${_id}${path}`, body))]).toEqual([
        path,
        '404 MESSAGE_NOT_FOUND',
      ]);
    expect(said(await scene.at(ann, 'DELETE', `/${_id}/reactions/${encodeURIComponent('👍')}`))).toBe(
      '404 REACTION_NOT_FOUND',
    );
    expect(await scene.do(ann, 'GET', '/search?q=secret')).toMatchObject({ messages: [] });
    const left = await house.ctx.db.selectFrom('conversation_edits').selectAll().execute();
    expect(left).toEqual([]);
    // While a block parts two, what one has said can be taken back.
    const pair = await scene.friends(ann, cleo);
    const last = await scene.say(ann, pair, 'Last');
    await scene.block(cleo, ann);
    expect((await scene.at(ann, 'DELETE', `/${last['_id']}`)).status).toBe(204);
    expect(await scene.listed(cleo)).toMatchObject([{ lastMessagePreview: null, unreadCount: 1 }]);
  });

  it('have so many different reactions, each of them once a member', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob, cleo);
    const { _id } = await scene.say(ann, id, 'One');
    const path = `/${_id}/reactions`;
    const react = async (who: HouseMember, emoji: unknown) => said(await scene.at(who, 'POST', path, { emoji }));
    expect((await scene.at(bob, 'POST', path, { emoji: '❤' })).body).toMatchObject({
      data: { messageId: _id, userId: bob.memberId, emoji: '❤️' },
      message: 'Reaction added',
    });
    expect(await contents(house, ann)).toEqual(['bob reacted to your message with ❤️.']);
    for (const same of ['❤', '❤️']) expect(await react(bob, same)).toBe('400 ALREADY_REACTED');
    expect(await react(cleo, '❤️')).toBe('200 success');
    for (const tone of ['👍', '👍🏽', '👍🏿']) expect(await react(bob, tone)).toBe('200 success');
    for (const none of ['', 'x', '👍👍', ':)', '🏽👍', 7, undefined])
      expect(await react(bob, none)).toBe('400 VALIDATION_ERROR');
    for (const emoji of ['🍵', '🎉', '🌱', '🌳', '🌻', '🐝']) expect(await react(bob, emoji)).toBe('200 success');
    expect(await react(cleo, '🐛')).toBe('400 TOO_MANY_REACTIONS');
    expect(await react(cleo, '🐝')).toBe('200 success');
    const [shown] = await scene.read(ann, id);
    expect(shown.reactionCounts).toHaveLength(mostEmoji);
    expect(shown.reactionCounts).toContainEqual({ emoji: '🐝', count: 2 });
    expect(shown.reactions).toHaveLength(12);
    expect(shown.reactions).toContainEqual({ userId: bob.memberId, emoji: '❤️' });
    // It is named with or without its selector, and is one's own.
    const unreact = async (who: HouseMember, emoji: string) =>
      await scene.at(who, 'DELETE', `${path}/${encodeURIComponent(emoji)}`);
    expect(said(await unreact(ann, '❤️'))).toBe('404 REACTION_NOT_FOUND');
    expect(said(await unreact(cleo, '👍🏽'))).toBe('404 REACTION_NOT_FOUND');
    expect(said(await unreact(bob, '👍🏻'))).toBe('404 REACTION_NOT_FOUND');
    const removed = await unreact(bob, '❤');
    expect([removed.status, removed.body]).toEqual([200, { status: 'success', data: {}, message: 'Reaction removed' }]);
    expect(said(await unreact(bob, '❤️'))).toBe('404 REACTION_NOT_FOUND');
    expect(said(await unreact(bob, '👍🏽'))).toBe('200 success');
    expect(await react(cleo, '🐛')).toBe('200 success');
    // Whoever muted the conversation is not notified.
    await scene.do(ann, 'POST', `/conversations/${id}/mute`, {});
    const other = await scene.say(ann, id, 'Two');
    await scene.do(bob, 'POST', `/${other['_id']}/reactions`, { emoji: '🎉' });
    await scene.do(ann, 'POST', `/${other['_id']}/reactions`, { emoji: '🎉' });
    expect((await contents(house, ann)).join()).not.toContain('🎉');
  });

  it('are carried on to another conversation, and name where they are from to who may see that', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const source = await scene.group(ann, bob, cleo);
    const target = await scene.group(ann, cleo, bob);
    const dan = await house.register({ username: 'dan' });
    await scene.do(ann, 'POST', `/conversations/${target}/participants`, { userIds: ['dan'] });
    const message = await scene.say(bob, source, 'Something to tell');
    const forward = async (who: HouseMember, id: string, to: string) =>
      await scene.at(who, 'POST', `/${id}/forward`, { targetConversationId: to });
    const { body } = await forward(ann, message['_id'], target);
    expect(body).toMatchObject({
      message: 'Message forwarded',
      data: {
        content: 'Something to tell',
        conversationId: target,
        senderId: ann.memberId,
        forwardedFromId: message['_id'],
      },
    });
    const from = async (who: HouseMember) =>
      (await scene.read(who, target)).map((one) => [one.content, one.forwardedFromId]);
    for (const [who, id] of [
      [cleo, message['_id']],
      [bob, message['_id']],
      [dan, null],
    ] as const)
      expect(await from(who)).toEqual([['Something to tell', id]]);
    // What a block hides is not named, and not carried on.
    await scene.block(cleo, bob);
    expect(await from(cleo)).toEqual([['Something to tell', null]]);
    expect(said(await forward(cleo, message['_id'], target))).toBe('404 MESSAGE_NOT_FOUND');
    // Nor what somebody has deleted from their view, or who left does not see any more.
    await scene.do(bob, 'DELETE', `/conversations/${source}`);
    expect(await from(bob)).toEqual([['Something to tell', null]]);
    expect(said(await forward(bob, message['_id'], target))).toBe('404 MESSAGE_NOT_FOUND');
    expect(said(await forward(dan, message['_id'], target))).toBe('404 MESSAGE_NOT_FOUND');
    expect(said(await forward(ann, message['_id'], await scene.group(bob, cleo === bob ? ann : dan)))).toBe(
      '403 FORBIDDEN',
    );
    expect(said(await forward(ann, message['_id'], '0'.repeat(32)))).toBe('404 CONVERSATION_NOT_FOUND');
    const pending = await scene.request(ann, dan, 'Hello');
    expect(said(await forward(ann, message['_id'], pending))).toBe('403 REQUEST_PENDING');
    // It stays when the first is deleted, or changed.
    const mine = await scene.say(ann, source, 'Mine');
    const again = (await forward(ann, mine['_id'], target)).body.data;
    await scene.do(ann, 'DELETE', `/${mine['_id']}`);
    expect((await scene.read(ann, target)).at(-1)).toMatchObject({
      _id: again['_id'],
      content: 'Mine',
      forwardedFromId: null,
    });
    expect(said(await forward(ann, mine['_id'], target))).toBe('404 MESSAGE_NOT_FOUND');
  });
});
