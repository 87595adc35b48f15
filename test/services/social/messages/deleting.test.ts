import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../../../src/platform/store/member-storage.ts';
import { eventually } from '../../../support/eventually.ts';
import type { House } from '../../../support/house.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { png } from '../../filevault/pictures.ts';
import { contents } from '../../notifications/notifying.ts';
import { openHeard } from '../heard-scene.ts';
import { said } from '../scene.ts';
import { openMessages } from './scene.ts';

const tables = [
  'conversations',
  'conversation_places',
  'conversation_messages',
  'conversation_edits',
  'conversation_reactions',
  'conversation_mentions',
  'rooms',
  'room_members',
  'room_log',
  'room_key_epochs',
  'room_key_wraps',
  'social_media',
] as const;

/** The tables in which rows are left. */
async function leftIn({ ctx: { db } }: House): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) if ((await db.selectFrom(table).selectAll().execute()).length > 0) found.push(table);
  return found;
}

/** What somebody was told of messages. */
const notified = async (house: House, who: HouseMember) =>
  (await contents(house, who)).filter((text) => !text.endsWith('follows you.'));
const texts = (messages: readonly { content: string | null }[]) => messages.map(({ content }) => content);

describe.each(engines)('deleting a conversation on %s', (engine) => {
  it('of two clears it for who does that, until the next message and without what was before', async () => {
    await using setting = await openHeard(async (options) => await openMessages(engine, options));
    const { scene, listen } = setting;
    const { ann, bob, house } = scene;
    const id = await scene.friends(ann, bob);
    const one = `/conversations/${id}`;
    const old = await scene.say(bob, id, 'The old apple');
    const mine = await scene.say(ann, id, 'My old apple');
    await scene.say(bob, id, 'Another old apple');
    await scene.later(10_000);
    expect(await notified(house, ann)).toEqual(['bob sent you a message.']);
    for (const what of ['pin', 'archive']) await scene.do(ann, 'POST', `${one}/${what}`);
    const inbox = (await listen(ann, `inbox:${ann.memberId}`))!;
    const answer = await scene.at(ann, 'DELETE', one);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(await notified(house, ann)).toEqual([]);
    await eventually(() => expect(inbox.heard.map(({ type }) => type)).toEqual(['conversation:removed']));
    const empty = { _id: id, unreadCount: 0, lastMessagePreview: null, isPinned: false, isArchived: false };
    expect([await scene.listed(ann), await scene.listed(ann, '?archived=true'), await scene.read(ann, id)]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await scene.do(ann, 'GET', one)).toMatchObject(empty);
    // The other one sees nothing of that.
    expect(texts(await scene.read(bob, id))).toEqual(['The old apple', 'My old apple', 'Another old apple']);
    expect(await scene.listed(bob)).toMatchObject([{ _id: id, lastMessagePreview: 'Another old apple' }]);
    const isWithoutOld = async () => {
      expect(JSON.stringify(await scene.read(ann, id, '?after=0'))).not.toContain('old');
      expect((await scene.do(ann, 'GET', '/search?q=old')).messages).toEqual([]);
      expect((await scene.do(ann, 'GET', `${one}/search?q=old`)).messages).toEqual([]);
      for (const messageId of [old['_id'], mine['_id']]) {
        expect(said(await scene.at(ann, 'GET', `${one}/messages?around=${messageId}`))).toBe('404 MESSAGE_NOT_FOUND');
        for (const [method, path, body] of [
          ['POST', `${one}/messages`, { content: 'To that', replyToMessageId: messageId }],
          ['POST', `${one}/read`, { messageId }],
          ['PUT', `/${messageId}`, { content: 'Other' }],
          ['DELETE', `/${messageId}`],
          ['POST', `/${messageId}/forward`, { targetConversationId: id }],
          ['POST', `/${messageId}/reactions`, { emoji: '👍' }],
          ['DELETE', `/${messageId}/reactions/x`],
          ['POST', `/${messageId}/report`, { reason: 'Bad' }],
        ] as const)
          expect([path, said(await scene.at(ann, method, path, body))]).toEqual([path, '404 MESSAGE_NOT_FOUND']);
      }
      const [heard, others] = [
        (await listen(ann, `conversation:${id}`, 0))!,
        (await listen(bob, `conversation:${id}`, 0))!,
      ];
      await eventually(() => expect(JSON.stringify(others.heard)).toContain('Another old apple'));
      await setting.sockets.settled();
      expect(JSON.stringify(heard.heard)).not.toContain('old');
    };
    await isWithoutOld();
    await scene.say(bob, id, 'The new one');
    await isWithoutOld();
    expect(await scene.listed(ann)).toMatchObject([{ _id: id, unreadCount: 1, lastMessagePreview: 'The new one' }]);
    expect(texts(await scene.read(ann, id))).toEqual(['The new one']);
    expect(said(await scene.at(ann, 'POST', '/conversations', { otherUserId: 'bob' }))).toBe('400 CONVERSATION_EXISTS');
    await scene.later(10_000);
    expect(await notified(house, ann)).toEqual(['bob sent you a message.']);

    // Opened again it is empty, and the same.
    await scene.do(ann, 'DELETE', one);
    const opened = await scene.at(ann, 'POST', '/conversations', { otherUserId: 'bob' });
    expect([opened.status, opened.body.data]).toMatchObject([201, { ...empty, lastSeq: 4 }]);
    expect(await scene.listed(ann)).toMatchObject([empty]);
    await isWithoutOld();
    // Both can delete it, and one who begins again with a text opens it for both.
    for (const who of [ann, bob]) await scene.do(who, 'DELETE', one);
    for (const who of [ann, bob]) expect(await scene.listed(who)).toEqual([]);
    const again = await scene.at(bob, 'POST', '/conversations', { otherUserId: 'ann', content: 'Hello again' });
    expect([again.status, again.body.data]).toMatchObject([201, { _id: id, lastMessagePreview: 'Hello again' }]);
    for (const who of [ann, bob]) {
      expect(texts(await scene.read(who, id))).toEqual(['Hello again']);
      expect(await scene.listed(who)).toMatchObject([{ _id: id, unreadCount: who === ann ? 1 : 0 }]);
    }
  });

  it('that waits for consent declines it, and its sender does not learn of that', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, house } = scene;
    const id = await scene.request(ann, bob, 'Hello');
    const before = await scene.do(ann, 'GET', `/conversations/${id}`);
    await scene.do(bob, 'DELETE', `/conversations/${id}`);
    expect((await scene.do(bob, 'GET', '/requests')).requests).toEqual([]);
    expect(await scene.do(bob, 'GET', '/requests?status=declined')).toMatchObject({
      requests: [{ _id: id, messagePreview: null }],
    });
    expect(await notified(house, bob)).toEqual([]);
    expect(said(await scene.at(bob, 'POST', `/requests/${id}/accept`))).toBe('400 MESSAGE_REQUEST_CLOSED');
    expect(await scene.do(ann, 'GET', `/conversations/${id}`)).toEqual(before);
    expect(said(await scene.at(ann, 'POST', `/conversations/${id}/messages`, { content: 'Hello?' }))).toBe(
      '403 REQUEST_PENDING',
    );
    // The sender may delete it from their view too: whoever was asked still decides about it.
    const cleo = scene.cleo;
    const toCleo = await scene.request(ann, cleo, 'Hello');
    await scene.do(ann, 'DELETE', `/conversations/${toCleo}`);
    expect((await scene.listed(ann)).map(({ _id }) => _id)).toEqual([id]);
    await scene.do(cleo, 'POST', `/requests/${toCleo}/accept`);
    await scene.say(cleo, toCleo, 'Yes?');
    expect((await scene.listed(ann)).map(({ _id }) => _id).toSorted()).toEqual([id, toCleo].toSorted());
    expect(texts(await scene.read(ann, toCleo))).toEqual(['Yes?']);
    // Whoever declined and writes wants to talk.
    const begun = await scene.at(bob, 'POST', '/conversations', { otherUserId: 'ann', content: 'Well' });
    expect([begun.status, begun.body.data]).toMatchObject([201, { _id: id, request: 'accepted' }]);
    expect((await scene.listed(bob)).map(({ _id }) => _id)).toEqual([id]);
  });

  it('shows it in the list of who was asked, deleted the request and begins again without a text', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob } = scene;
    const id = await scene.request(ann, bob, 'Hello');
    await scene.do(bob, 'DELETE', `/conversations/${id}`);
    const begun = await scene.at(bob, 'POST', '/conversations', { otherUserId: 'ann' });
    expect([begun.status, begun.body.data['_id']]).toEqual([201, id]);
    expect((await scene.listed(bob)).map(({ _id }) => _id)).toEqual([id]);
  });

  it('of a group leaves it, hands it over to who has been in it the longest, and the last one deletes it for good', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob);
    const one = `/conversations/${id}`;
    const add = async (name: string) => {
      house.clock.advance(1_000);
      await scene.do(ann, 'POST', `${one}/participants`, { userIds: [name] });
    };
    await add('cleo');
    await scene.do(bob, 'DELETE', one);
    await add('bob');
    const file = png(8, 4, Buffer.alloc(100));
    const uploaded = await house.api('POST', '/api/social/media', {
      token: ann.token,
      rawBody: new Uint8Array(file),
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(file.length) },
    });
    await scene.do(ann, 'PUT', `${one}/settings`, { avatarUrl: uploaded.body.data.url });
    const message = await scene.say(ann, id, '@bob says something secret');
    await scene.do(ann, 'PUT', `/${message['_id']}`, { content: '@bob says something else' });
    await scene.do(bob, 'POST', `/${message['_id']}/reactions`, { emoji: '👍' });
    const leave = async (who: HouseMember) => expect((await scene.at(who, 'DELETE', one)).status).toBe(204);
    const owner = async (who: HouseMember) => (await scene.do(who, 'GET', one)).ownerId as string;
    expect(await owner(bob)).toBe(ann.memberId);
    await leave(ann);
    expect([await owner(bob), await owner(cleo)]).toEqual([cleo.memberId, cleo.memberId]);
    for (const [method, path, body] of [
      ['GET', one],
      ['GET', `${one}/messages`],
      ['POST', `${one}/messages`, { content: 'Still here?' }],
      ['DELETE', one],
    ] as const)
      expect(said(await scene.at(ann, method, path, body))).toBe('403 FORBIDDEN');
    expect(said(await scene.at(ann, 'DELETE', `/${message['_id']}`))).toBe('404 MESSAGE_NOT_FOUND');
    expect([await scene.listed(ann), (await scene.do(ann, 'GET', '/search?q=something')).messages]).toEqual([[], []]);
    // Whoever comes back sees as much as somebody new.
    await scene.do(bob, 'POST', `${one}/participants`, { userIds: ['ann'] });
    expect(await scene.read(ann, id)).toEqual([]);
    expect(await owner(ann)).toBe(cleo.memberId);
    await leave(cleo);
    await leave(ann);
    expect(await owner(bob)).toBe(bob.memberId);
    expect(await bytesOf(house.ctx.db, ann.memberId)).toBeGreaterThan(0);
    await leave(bob);
    for (const who of [ann, bob]) expect(said(await scene.at(who, 'GET', one))).toBe('404 CONVERSATION_NOT_FOUND');
    await scene.later(0);
    expect(await leftIn(house)).toEqual([]);
    expect(await bytesOf(house.ctx.db, ann.memberId)).toBe(0);
    expect(await notified(house, bob)).toEqual([]);
  });
});
