import { describe, expect, it } from 'vitest';
import { engines } from '../../../support/stores.ts';
import { said } from '../scene.ts';
import { openMessages } from './scene.ts';

describe.each(engines)('messages of the social network on %s', (engine) => {
  it('go between two who follow each other', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const id = await scene.friends(ann, bob);
    const first = await scene.say(ann, id, 'Hello, Bob');
    expect(first).toMatchObject({ conversationId: id, seq: 1, content: 'Hello, Bob', senderUsername: 'ann' });
    await scene.say(bob, id, 'Hi', { replyToMessageId: first['_id'] });
    const { messages } = await scene.do(ann, 'GET', `/conversations/${id}/messages`);
    expect(messages).toMatchObject([{ content: 'Hello, Bob' }, { content: 'Hi', replyToMessageId: first['_id'] }]);
    const { conversations } = await scene.do(ann, 'GET', '/conversations');
    expect(conversations).toMatchObject([
      { _id: id, type: 'direct', title: 'bob', unreadCount: 1, lastMessagePreview: 'Hi', isPinned: false },
    ]);
    expect(said(await scene.at(cleo, 'GET', `/conversations/${id}`))).toBe('403 FORBIDDEN');
    const again = await scene.at(ann, 'POST', '/conversations', { otherUserId: 'bob' });
    expect(said(again)).toBe('400 CONVERSATION_EXISTS');
    expect(again.body.error.details).toEqual({ conversationId: id });
    expect(again.body.error.message).not.toMatch(/[0-9a-f]{32}/);
  });

  it('wait for consent of who does not follow the sender', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob } = scene;
    const begun = await scene.at(ann, 'POST', '/conversations', { otherUserId: 'bob', content: 'Who are you?' });
    expect(begun).toMatchObject({
      status: 200,
      body: {
        message: 'Message request sent',
        data: { request: { status: 'pending', messagePreview: 'Who are you?' } },
      },
    });
    const { conversationId: id } = begun.body.data;
    expect(said(await scene.at(ann, 'POST', `/conversations/${id}/messages`, { content: 'Hello?' }))).toBe(
      '403 REQUEST_PENDING',
    );
    expect((await scene.do(bob, 'GET', '/conversations')).conversations).toEqual([]);
    expect((await scene.do(bob, 'GET', '/requests')).requests).toMatchObject([{ _id: id, senderUsername: 'ann' }]);
    await scene.do(bob, 'POST', `/requests/${id}/accept`);
    expect(said(await scene.at(bob, 'POST', `/requests/${id}/accept`))).toBe('400 MESSAGE_REQUEST_CLOSED');
    await scene.say(ann, id, 'Hello!');
    expect((await scene.do(bob, 'GET', '/conversations')).conversations).toMatchObject([{ _id: id, unreadCount: 2 }]);
  });

  it('of a group go to all in it', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const id = await scene.group(ann, bob);
    await scene.say(bob, id, 'Before');
    const added = await scene.do(bob, 'POST', `/conversations/${id}/participants`, { userIds: ['cleo'] });
    expect(added.participantIds).toEqual([ann.memberId, bob.memberId, cleo.memberId]);
    await scene.say(ann, id, 'After');
    const { messages } = await scene.do(cleo, 'GET', `/conversations/${id}/messages`);
    expect(messages.map((one: { content: string }) => one.content)).toEqual(['After']);
    expect(said(await scene.at(bob, 'DELETE', `/conversations/${id}/participants/cleo`))).toBe('403 FORBIDDEN');
    await scene.do(ann, 'DELETE', `/conversations/${id}/participants/cleo`);
    expect(said(await scene.at(cleo, 'GET', `/conversations/${id}`))).toBe('403 FORBIDDEN');
    await scene.do(ann, 'DELETE', `/conversations/${id}`);
    expect(await scene.do(bob, 'GET', `/conversations/${id}`)).toMatchObject({ ownerId: bob.memberId });
    await scene.do(bob, 'DELETE', `/conversations/${id}`);
    expect(said(await scene.at(bob, 'GET', `/conversations/${id}`))).toBe('404 CONVERSATION_NOT_FOUND');
  });
});
