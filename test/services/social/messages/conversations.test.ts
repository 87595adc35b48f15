import { describe, expect, it } from 'vitest';
import { conversations } from '../../../../src/contract/social/conversations.ts';
import { messageReports } from '../../../../src/contract/social/message-reports.ts';
import { messageRequests } from '../../../../src/contract/social/message-requests.ts';
import { messages } from '../../../../src/contract/social/messages.ts';
import { messageLimits } from '../../../../src/contract/social/messages/limits.ts';
import { direct } from '../../../../src/contract/chat/direct.ts';
import { groups } from '../../../../src/contract/chat/groups.ts';
import { members } from '../../../../src/contract/chat/members.ts';
import { messages as chatMessages } from '../../../../src/contract/chat/messages.ts';
import { moderation } from '../../../../src/contract/chat/moderation.ts';
import { places } from '../../../../src/contract/chat/places.ts';
import { channels } from '../../../../src/contract/chat/channels.ts';
import { invites } from '../../../../src/contract/chat/invites.ts';
import type { JsonOperation } from '../../../../src/contract/operation.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { channelOf, groupOf, sendDirect } from '../../chat/chat-scene.ts';
import { contents } from '../../notifications/notifying.ts';
import { said } from '../scene.ts';
import { openMessages } from './scene.ts';

const operationsOf = (...groupsOf: Readonly<Record<string, JsonOperation>>[]) =>
  groupsOf.flatMap((group) => Object.values(group));
const social = operationsOf(conversations, messages, messageRequests, messageReports);
const chat = operationsOf(direct, groups, channels, members, moderation, places, chatMessages, invites);

/** What each operation is asked with beside ids. */
const bodyOf: Readonly<Record<string, object>> = {
  'social.send-message': { content: 'Theirs' },
  'social.edit-message': { content: 'Theirs' },
  'social.react-to-message': { emoji: '👍' },
  'social.unreact-to-message': { emoji: '👍' },
  'social.report-message': { reason: 'Bad' },
  'social.search-conversation': { q: 'secret' },
  'social.change-conversation': { name: 'Theirs' },
};
const chatBody = {
  content: 'Theirs',
  emoji: '👍',
  durationMs: 1000,
  role: 'member',
  query: 'secret',
  name: 'theirs',
  retentionMs: null,
};
const namesIn = (path: string) => new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string));

describe.each(engines)('conversations on %s', (engine) => {
  it('are pinned, archived and muted by one of those in them, and others see nothing of it', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, house } = scene;
    const [id, other, last] = [await scene.group(ann, bob), await scene.group(ann, bob), await scene.group(ann, bob)];
    // As many more as can be pinned, with a row each.
    const { db } = house.ctx;
    const row = await db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const more = Array.from({ length: messageLimits.pinned - 2 }, (_, at) => String(at).padStart(32, '0'));
    await db
      .insertInto('conversations')
      .values(more.map((one) => Object.assign({}, row, { id: one })))
      .execute();
    const place = await db
      .selectFrom('conversation_places')
      .selectAll()
      .where('conversation_id', '=', id)
      .where('member_id', '=', ann.memberId)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('conversation_places')
      .values(more.map((conversation_id) => Object.assign({}, place, { conversation_id, pinned: 1 })))
      .execute();
    const mark = async (method: 'POST' | 'DELETE', what: string, one = id, body: object = {}) =>
      await scene.at(ann, method, `/conversations/${one}/${what}`, method === 'POST' ? body : undefined);
    const shown = async (who: HouseMember, one = id) => await scene.do(who, 'GET', `/conversations/${one}`);
    for (const one of [id, other]) expect((await mark('POST', 'pin', one)).status).toBe(200);
    // The same one again is no other.
    expect((await mark('POST', 'pin')).body).toEqual({ status: 'success', data: {}, message: 'Conversation pinned' });
    expect(said(await mark('POST', 'pin', last))).toBe('400 TOO_MANY_PINNED');
    expect([(await shown(ann)).isPinned, (await shown(bob)).isPinned]).toEqual([true, false]);
    for (const again of [1, 2]) expect([again, said(await mark('DELETE', 'pin'))]).toEqual([again, '200 success']);
    expect(said(await mark('POST', 'pin', last))).toBe('200 success');
    // What was left is not pinned any more, also for who comes back.
    await scene.do(ann, 'DELETE', `/conversations/${other}`);
    expect(said(await mark('POST', 'pin'))).toBe('200 success');
    await scene.do(bob, 'POST', `/conversations/${other}/participants`, { userIds: ['ann'] });
    expect((await shown(ann, other)).isPinned).toBe(false);

    expect((await mark('POST', 'archive')).body.message).toBe('Conversation archived');
    const isListed = async (who: HouseMember, query = '') =>
      (await scene.listed(who, query)).some(({ _id }) => _id === id);
    expect([await isListed(ann), await isListed(ann, '?archived=true'), await isListed(bob)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await shown(ann)).toMatchObject({ isArchived: true, isPinned: true });
    await mark('POST', 'unarchive');
    expect([await isListed(ann), await isListed(ann, '?archived=true')]).toEqual([true, false]);

    const until = new Date(house.clock.now() + 60_000).toISOString();
    expect((await mark('POST', 'mute', id, { expiresAt: until })).body.message).toBe('Conversation muted');
    expect([(await shown(ann)).mutedUntil, (await shown(bob)).mutedUntil]).toEqual([until, null]);
    const notified = async () => (await contents(house, ann)).filter((text) => text.includes('wrote'));
    await scene.say(bob, id, 'While muted');
    await scene.later(10_000);
    expect(await notified()).toEqual([]);
    house.clock.advance(60_000);
    expect((await shown(ann)).mutedUntil).toBe(null);
    await scene.say(bob, id, 'After it');
    await scene.later(10_000);
    expect(await notified()).toEqual(['bob wrote in Garden.']);
    await scene.do(ann, 'POST', `/conversations/${id}/read`, {});
    await mark('POST', 'mute');
    expect(Date.parse((await shown(ann)).mutedUntil)).toBeGreaterThan(house.clock.now() + 1e12);
    await mark('DELETE', 'mute');
    expect((await shown(ann)).mutedUntil).toBe(null);
    expect(said(await mark('POST', 'mute', id, { expiresAt: 'tomorrow' }))).toBe('400 VALIDATION_ERROR');
  });

  it('are searched, one or all of them, for what the member may read', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const pair = await scene.friends(ann, bob);
    const group = await scene.group(ann, bob);
    await scene.say(ann, pair, 'The apple of the pair');
    await scene.say(bob, group, 'The apple before');
    await scene.do(ann, 'POST', `/conversations/${group}/participants`, { userIds: ['cleo'] });
    await scene.say(bob, group, 'The apple after');
    await sendDirect(house, ann, bob, 'The apple of chat');
    const found = async (who: HouseMember, path: string) =>
      (await scene.do(who, 'GET', path)).messages.map(({ content }: { content: string }) => content);
    const all = ['The apple after', 'The apple before', 'The apple of the pair'];
    expect(await found(ann, '/search?q=apple')).toEqual(all);
    expect(await found(cleo, '/search?q=apple')).toEqual([all[0]]);
    expect(await found(ann, `/conversations/${group}/search?q=apple`)).toHaveLength(2);
    expect(await found(cleo, `/conversations/${group}/search?q=apple`)).toEqual([all[0]]);
    for (const [words, hits] of [
      ['apple in:Garden', all.slice(0, 2)],
      ['apple in:garden', all.slice(0, 2)],
      ['apple in:bob', all.slice(2)],
      ['apple in:@bob', all.slice(2)],
      [`apple in:${pair}`, all.slice(2)],
      ['apple in:cleo', []],
      ['apple in:nothing', []],
      ['apple from:me', all.slice(2)],
      ['apple from:bob', all.slice(0, 2)],
      ['apple from:nobody', []],
    ] as const)
      expect([words, await found(ann, `/search?q=${encodeURIComponent(words)}`)]).toEqual([words, hits]);
    const pages = await scene.do(ann, 'GET', '/search?q=apple&limit=2');
    expect(pages.hasMore).toBe(true);
    expect(await found(ann, `/search?q=apple&limit=2&cursor=${encodeURIComponent(pages.cursor)}`)).toEqual([all[2]]);
    // Chat finds its own.
    const inChat = await house.api('GET', '/api/chat/search?q=apple', { token: ann.token });
    expect(JSON.stringify(inChat.body)).toContain('The apple of chat');
    expect(JSON.stringify(inChat.body)).not.toContain('The apple of the pair');
    // What a block hides is not found, but by the owner, and in a conversation of two it stays.
    const hidden = await scene.say(cleo, group, 'The pear of cleo');
    await scene.block(bob, cleo);
    expect(await found(bob, '/search?q=pear')).toEqual([]);
    expect(await found(bob, `/conversations/${group}/search?q=pear`)).toEqual([]);
    expect(await found(ann, '/search?q=pear')).toEqual(['The pear of cleo']);
    await scene.do(cleo, 'PUT', `/${hidden['_id']}`, { content: 'The plum of cleo' });
    expect([await found(ann, '/search?q=pear'), await found(ann, '/search?q=plum')]).toEqual([
      [],
      ['The plum of cleo'],
    ]);
    for (const q of ['', 'x', 'x'.repeat(201), 'has:nothing'])
      expect(said(await scene.at(ann, 'GET', `/search?q=${q}`))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.at(cleo, 'GET', `/conversations/${pair}/search?q=apple`))).toBe('403 FORBIDDEN');
  });

  it('are those of the social network alone, and only of who is in them, for each operation', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const pair = await scene.friends(ann, bob);
    const group = await scene.group(ann, bob);
    const mine = await scene.friends(cleo, bob);
    const inPair = await scene.say(ann, pair, 'Something secret');
    const inMine = await scene.say(cleo, mine, 'Mine');
    const inGroup = await scene.say(ann, group, 'Something secret');
    const ofChat = await sendDirect(house, ann, cleo, 'In chat');
    const chatGroup = await groupOf(house, [ann, cleo]);
    const ask = async (operation: JsonOperation, who: HouseMember, input: Record<string, unknown>) => {
      const answer = await house.perform(operation, input, who.token);
      expect(JSON.stringify(answer.body)).not.toMatch(/secret|In chat/);
      return [operation.id, said(answer)];
    };
    for (const operation of social.filter(({ path }) => path.includes(':') && !path.includes(':reportId'))) {
      const names = namesIn(operation.path);
      const body: Record<string, unknown> = { ...bodyOf[operation.id] };
      if (names.has('userId')) body['userId'] = bob.memberId;
      if (operation.id === 'social.add-participants') body['userIds'] = ['bob'];
      if (operation.id === 'social.forward-message') body['targetConversationId'] = mine;
      if (names.has('messageId')) {
        for (const messageId of [inPair['_id'], inGroup['_id'], ofChat.id, '0'.repeat(32)])
          expect(await ask(operation, cleo, { ...body, messageId })).toEqual([operation.id, '404 MESSAGE_NOT_FOUND']);
        continue;
      }
      const isRequest = operation.path.includes('/requests/');
      const missing = `404 ${isRequest ? 'MESSAGE_REQUEST' : 'CONVERSATION'}_NOT_FOUND`;
      for (const id of [ofChat.conversationId, chatGroup, '0'.repeat(32)])
        expect(await ask(operation, cleo, { ...body, id })).toEqual([operation.id, missing]);
      for (const id of [pair, group])
        expect(await ask(operation, cleo, { ...body, id })).toEqual([
          operation.id,
          isRequest ? missing : '403 FORBIDDEN',
        ]);
    }
    const into = async (targetConversationId: string) =>
      said(await scene.at(cleo, 'POST', `/${inMine['_id']}/forward`, { targetConversationId }));
    expect([await into(ofChat.conversationId), await into(pair)]).toEqual([
      '404 CONVERSATION_NOT_FOUND',
      '403 FORBIDDEN',
    ]);
    const list = `/conversations/${mine}/messages`;
    for (const replyToMessageId of [inPair['_id'], ofChat.id])
      expect(said(await scene.at(cleo, 'POST', list, { content: 'To that', replyToMessageId }))).toBe(
        '404 MESSAGE_NOT_FOUND',
      );
    for (const id of [inPair['_id'], ofChat.id]) {
      expect(said(await scene.at(cleo, 'GET', `${list}?around=${id}`))).toBe('404 MESSAGE_NOT_FOUND');
      expect(said(await scene.at(cleo, 'POST', `/conversations/${mine}/read`, { messageId: id }))).toBe(
        '404 MESSAGE_NOT_FOUND',
      );
    }
  });

  it('are not those of chat, for each of its operations', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, house } = scene;
    const pair = await scene.friends(ann, bob);
    const group = await scene.group(ann, bob);
    const inPair = await scene.say(ann, pair, 'Something secret');
    const inGroup = await scene.say(ann, group, 'Something secret');
    const own = await sendDirect(house, ann, bob, 'In chat');
    const ownOf = {
      direct: own.conversationId,
      group: await groupOf(house, [ann, bob]),
      channel: await channelOf(house, [ann, bob]),
    };
    let asked = 0;
    for (const operation of chat) {
      const names = namesIn(operation.path);
      if (!names.has('conversationId')) continue;
      const required = operation.input.entries as Record<string, { type: string }>;
      const body = Object.fromEntries(
        Object.entries(chatBody).filter(([name]) => name in required && required[name]?.type !== 'optional'),
      );
      const input: Record<string, unknown> = { ...body };
      for (const name of ['memberIds', 'newMemberIds']) if (name in required) input[name] = [bob.memberId];
      for (const name of ['memberId', 'reactionId', 'invite', 'inviteToken'])
        if (names.has(name)) input[name] = name === 'memberId' ? bob.memberId : '0'.repeat(32);
      if ('seq' in required && required['seq']?.type !== 'optional') input['seq'] = 1;
      for (const [conversationId, messageId] of [
        [pair, inPair['_id']],
        [group, inGroup['_id']],
      ]) {
        const ids = { conversationId, ...(names.has('messageId') && { messageId }) };
        const answer = await house.perform(operation, { ...input, ...ids }, ann.token);
        expect(JSON.stringify(answer.body)).not.toContain('secret');
        expect([operation.id, answer.status, answer.body.error?.reason]).toEqual([
          operation.id,
          404,
          expect.stringMatching(/^(CONVERSATION|INVITE|ROOM)_NOT_FOUND$/),
        ]);
        const type = /^chat\.(direct|group|channel)-/.exec(operation.id)?.[1] as keyof typeof ownOf | undefined;
        if (!names.has('messageId') || type === undefined) continue;
        const mixed = await house.perform(operation, { ...input, ...ids, conversationId: ownOf[type] }, ann.token);
        expect([operation.id, mixed.body.error?.reason]).toEqual([operation.id, 'MESSAGE_NOT_FOUND']);
      }
      asked += 1;
    }
    expect(asked).toBeGreaterThan(50);
    const listed = await house.api('GET', '/api/conversations', { token: ann.token });
    expect(JSON.stringify(listed.body)).not.toMatch(new RegExp(`${pair}|${group}|secret`));
    expect((await scene.listed(ann)).map(({ _id }) => _id).toSorted()).toEqual([pair, group].toSorted());
    const replied = { recipientId: bob.memberId, content: 'To that', replyToMessageId: inPair['_id'] };
    expect(said(await house.perform(direct.sendDirect, replied, ann.token))).toBe('404 MESSAGE_NOT_FOUND');
  });
});
