import { describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { ownStatements } from '../../../support/own-statements.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { sendDirect } from '../../chat/chat-scene.ts';
import { direct } from '../../../../src/contract/chat/direct.ts';
import { contents } from '../../notifications/notifying.ts';
import { openHeard } from '../heard-scene.ts';
import { said } from '../scene.ts';
import { openMessages, type MessagesScene } from './scene.ts';

const nowhere = '0'.repeat(32);

/** What somebody is answered about a conversation with another one, with no name of that one in it. */
async function answered(scene: MessagesScene, who: HouseMember, other: HouseMember, name: string, id: string) {
  const ask = async (...request: Parameters<MessagesScene['at']>) => {
    const { result, statements } = await ownStatements(async () => await scene.at(...request));
    const text = JSON.stringify(result.body)
      .replaceAll(id, 'ID')
      .replaceAll(other.memberId, 'OTHER')
      .replaceAll(`"${name}"`, '"NAME"')
      .replace(/"participantIds":\[[^\]]*\]/g, '')
      .replace(/"[0-9a-f]{32}"/g, '"MESSAGE"');
    return [result.status, text, statements.length];
  };
  const one = `/conversations/${id}`;
  const { conversations } = await scene.do(who, 'GET', '/conversations');
  return {
    listed: conversations.find(({ _id }: { _id: string }) => _id === id)?.request,
    shown: await ask(who, 'GET', one),
    messages: await ask(who, 'GET', `${one}/messages`),
    sent: await ask(who, 'POST', `${one}/messages`, { content: 'Hello?' }),
    begun: await ask(who, 'POST', '/conversations', { otherUserId: other.memberId, content: 'Hello?' }),
    read: await ask(who, 'POST', `${one}/read`, {}),
    typed: await ask(who, 'POST', `${one}/typing`, {}),
    found: await ask(who, 'GET', `${one}/search?q=nothing`),
    requested: await ask(who, 'GET', '/requests'),
  };
}

describe.each(engines)('message requests on %s', (engine) => {
  it('look pending for ever to who sent them, declined or not', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const [waiting, declined] = [await scene.request(ann, bob, 'Hello'), await scene.request(ann, cleo, 'Hello')];
    expect(await scene.do(cleo, 'POST', `/requests/${declined}/decline`)).toMatchObject({
      request: { _id: declined, status: 'declined', senderUsername: 'ann' },
    });
    for (const what of ['decline', 'accept'])
      expect(said(await scene.at(cleo, 'POST', `/requests/${declined}/${what}`))).toBe('400 MESSAGE_REQUEST_CLOSED');
    const ofWaiting = await answered(scene, ann, bob, 'bob', waiting);
    expect([ofWaiting.listed, ofWaiting.sent[0], ofWaiting.begun[0]]).toEqual(['pending', 403, 400]);
    expect(await answered(scene, ann, cleo, 'cleo', declined)).toEqual(ofWaiting);
    // Also when the sender deletes it, and begins again.
    const again = async (id: string, other: HouseMember, name: string) => {
      await scene.do(ann, 'DELETE', `/conversations/${id}`);
      const refused = await scene.at(ann, 'POST', '/conversations', { otherUserId: name, content: 'Please' });
      expect(said(refused)).toBe('403 REQUEST_PENDING');
      const begun = await scene.at(ann, 'POST', '/conversations', { otherUserId: name });
      expect(begun.body.data).toMatchObject({ _id: id, request: 'pending', unreadCount: 0, lastMessagePreview: null });
      return [begun.status, await answered(scene, ann, other, name, id)];
    };
    expect(await again(declined, cleo, 'cleo')).toEqual(await again(waiting, bob, 'bob'));
    // Who was asked sees what became of it, and nothing of it in their list.
    const states = async (who: HouseMember) =>
      await Promise.all(
        ['pending', 'accepted', 'declined'].map(
          async (status) => (await scene.do(who, 'GET', `/requests?status=${status}`)).requests.length,
        ),
      );
    expect([await states(bob), await states(cleo), await states(ann)]).toEqual([
      [1, 0, 0],
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect(await scene.listed(cleo)).toEqual([]);
    expect(await scene.do(cleo, 'GET', `/conversations/${declined}`)).toMatchObject({ request: 'declined' });
    expect(await scene.do(cleo, 'GET', '/search?q=Hello')).toMatchObject({ messages: [] });
    expect(await scene.read(cleo, declined)).toMatchObject([{ content: 'Hello' }]);
  });

  it('are accepted by an answer, a reaction, or when both follow each other, also after they were declined', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const [dan, eve] = [await house.register({ username: 'dan' }), await house.register({ username: 'eve' })];
    const status = async (who: HouseMember, id: string) =>
      (await scene.do(who, 'GET', `/conversations/${id}`)).request as string;
    const decline = async (who: HouseMember, id: string) => await scene.do(who, 'POST', `/requests/${id}/decline`);
    const [toBob, toCleo, toDan, toEve] = [
      await scene.request(ann, bob, 'Hello'),
      await scene.request(ann, cleo, 'Hello'),
      await scene.request(ann, dan, 'Hello'),
      await scene.request(ann, eve),
    ];
    // Until then their sender cannot have them in a group either.
    const grouped = async (who: HouseMember, name: string) =>
      said(await scene.at(who, 'POST', '/conversations', { type: 'group', name: 'Garden', participantIds: [name] }));
    const own = await scene.group(ann, await house.register());
    for (const name of ['bob', 'cleo']) {
      expect(await grouped(ann, name)).toBe('403 DMS_CLOSED');
      const add = { userIds: [name] };
      expect(said(await scene.at(ann, 'POST', `/conversations/${own}/participants`, add))).toBe('403 DMS_CLOSED');
    }
    await scene.say(bob, toBob, 'Yes?');
    const [first] = await scene.read(cleo, toCleo);
    await decline(cleo, toCleo);
    await scene.do(cleo, 'POST', `/${first['_id']}/reactions`, { emoji: '👍' });
    await decline(dan, toDan);
    await scene.follow(ann, dan);
    expect(said(await scene.at(ann, 'POST', `/conversations/${toDan}/messages`, { content: 'Now?' }))).toBe(
      '403 REQUEST_PENDING',
    );
    await scene.follow(dan, ann);
    // Without a text it is the first message that can be sent.
    expect(await status(ann, toEve)).toBe('pending');
    await scene.say(ann, toEve, 'First');
    expect(said(await scene.at(ann, 'POST', `/conversations/${toEve}/messages`, { content: 'Second' }))).toBe(
      '403 REQUEST_PENDING',
    );
    await decline(eve, toEve);
    await scene.say(eve, toEve, 'Well');
    for (const [other, id] of [
      [bob, toBob],
      [cleo, toCleo],
      [dan, toDan],
      [eve, toEve],
    ] as const) {
      expect((await scene.say(ann, id, 'Thank you')).content).toBe('Thank you');
      expect(await grouped(ann, other.memberId)).toBe('201 success');
      for (const who of [ann, other]) {
        expect(await status(who, id)).toBe('accepted');
        expect((await scene.listed(who)).map(({ _id }) => _id)).toContain(id);
      }
      for (const what of ['accept', 'decline'])
        expect(said(await scene.at(other, 'POST', `/requests/${id}/${what}`))).toBe('400 MESSAGE_REQUEST_CLOSED');
    }
  });

  it('are made only to who takes them: whom the member follows may always ask', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    await scene.privacy(bob, { allowDmsFromNonFollowers: false });
    const begin = async (from: HouseMember, to: string) =>
      said(await scene.at(from, 'POST', '/conversations', { otherUserId: to, content: 'Hello' }));
    expect(await begin(ann, 'bob')).toBe('403 DMS_CLOSED');
    // That bob follows her is not what the setting asks for: she has to follow him.
    await scene.follow(bob, ann);
    expect(await begin(ann, 'bob')).toBe('403 DMS_CLOSED');
    expect((await scene.do(bob, 'GET', '/requests')).requests).toEqual([]);
    expect(await contents(scene.house, bob)).toEqual([]);
    // Whoever takes none may ask others.
    expect(await begin(bob, 'cleo')).toBe('200 success');
    await scene.follow(ann, bob);
    expect(await begin(ann, 'bob')).toBe('201 success');
    // A request to follow is none yet. The conversation that there is stays open.
    await scene.protect(bob);
    await scene.ask(cleo, 'POST', `/users/bob/follow`, {});
    expect(await begin(cleo, 'bob')).toBe('400 CONVERSATION_EXISTS');
    const dan = await scene.house.register({ username: 'dan' });
    await scene.ask(dan, 'POST', `/users/bob/follow`, {});
    expect(await begin(dan, 'bob')).toBe('403 DMS_CLOSED');
    await scene.ask(bob, 'POST', `/follow-requests/${dan.memberId}/approve`);
    expect(await begin(dan, 'bob')).toBe('200 success');
  });

  it('are read without the sender learning of it, and tell of themselves once', async () => {
    await using setting = await openHeard(async (options) => await openMessages(engine, options));
    const { scene, listen } = setting;
    const { ann, bob, house } = scene;
    const inbox = (await listen(bob, `inbox:${bob.memberId}`))!;
    const senders = (await listen(ann, `inbox:${ann.memberId}`))!;
    const id = await scene.request(ann, bob);
    const annHears = (await listen(ann, `conversation:${id}`))!;
    const message = await scene.say(ann, id, 'Something secret');
    await scene.later(10_000);
    expect(await contents(house, bob)).toEqual(['ann wants to write to you.']);
    expect(await scene.do(bob, 'GET', '/requests')).toMatchObject({
      requests: [{ messagePreview: 'Something secret' }],
    });
    await scene.read(bob, id);
    const xx = await scene.at(bob, 'POST', `/conversations/${id}/read`, { messageId: message['_id'] });
    if (xx.status === 500)
      console.log(JSON.stringify(house.log.lines.at(-1)), JSON.stringify(house.log.lines.slice(-3)));
    for (const who of [bob, ann]) await scene.do(who, 'POST', `/conversations/${id}/typing`);
    expect(await scene.do(ann, 'GET', `/conversations/${id}`)).not.toHaveProperty('receipts');
    const names = ({ heard }: typeof inbox) => heard.map(({ type }) => type);
    await eventually(() => expect(names(inbox)).toEqual(['conversation:read_elsewhere']));
    await scene.do(bob, 'POST', `/requests/${id}/accept`);
    expect(await contents(house, bob)).toEqual([]);
    await scene.later(60_000);
    expect(await contents(house, bob)).toEqual([]);
    await scene.say(ann, id, 'Another');
    await scene.do(bob, 'POST', `/conversations/${id}/read`, {});
    await eventually(() =>
      expect(names(annHears)).toEqual(['message:new', 'conversation:updated', 'message:new', 'conversation:read']),
    );
    await eventually(() =>
      expect(names(inbox).toSorted()).toEqual([
        'conversation:activity',
        'conversation:added',
        'conversation:read_elsewhere',
        'conversation:read_elsewhere',
      ]),
    );
    expect(names(senders).toSorted()).toEqual(['conversation:activity', 'conversation:added']);
  });

  it('are told of as long as they wait, and as long as their senders are there', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const dan = await house.register({ username: 'dan' });
    const ids = [await scene.request(ann, bob, 'Hello'), await scene.request(cleo, bob, 'Hello')];
    await scene.request(dan, bob, 'Hello');
    const requested = async () =>
      (await scene.do(bob, 'GET', '/requests')).requests.map(
        ({ senderUsername }: { senderUsername: string }) => senderUsername,
      );
    expect((await requested()).toSorted()).toEqual(['ann', 'cleo', 'dan']);
    expect(await contents(house, bob)).toHaveLength(3);
    await scene.do(bob, 'POST', `/requests/${ids[0]}/decline`);
    expect((await contents(house, bob)).toSorted()).toEqual([
      'cleo wants to write to you.',
      'dan wants to write to you.',
    ]);
    await scene.block(bob, cleo);
    expect(await contents(house, bob)).toEqual(['dan wants to write to you.']);
    await scene.suspend(dan);
    expect(await requested()).toEqual([]);
    // One's own, those of others, and what is none.
    const group = await scene.group(ann, cleo);
    const friends = await scene.friends(ann, cleo);
    const chat = (await sendDirect(house, ann, bob, 'In chat')).conversationId;
    for (const [who, id] of [
      [ann, ids[0]],
      [dan, ids[0]],
      [cleo, group],
      [cleo, friends],
      [bob, chat],
      [bob, nowhere],
    ] as const)
      for (const what of ['accept', 'decline'])
        expect([id, (await scene.at(who, 'POST', `/requests/${id}/${what}`)).status]).toEqual([
          id,
          who === dan ? 401 : 404,
        ]);
  });

  it('are neither told of nor decided while their senders are suspended, or a block parts the two', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const dan = await house.register({ username: 'dan' });
    const ids: string[] = [];
    for (const who of [ann, cleo, dan]) ids.push(await scene.request(who, bob, 'Hello'));
    await scene.block(bob, ann);
    await scene.block(cleo, bob);
    await scene.suspend(dan);
    const answers: string[] = [];
    for (const id of ids)
      for (const what of ['decline', 'accept'])
        answers.push(said(await scene.at(bob, 'POST', `/requests/${id}/${what}`)));
    expect([await contents(house, bob), new Set(answers)]).toEqual([[], new Set(['404 MESSAGE_REQUEST_NOT_FOUND'])]);
  });

  it('are answered alike for who is unknown, suspended, or has blocked the sender', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const [dan, eve] = [await house.register({ username: 'dan' }), await house.register({ username: 'eve' })];
    // With one of them there is a conversation from before.
    await scene.friends(ann, dan);
    await scene.block(bob, ann);
    await scene.block(dan, ann);
    await scene.block(ann, cleo);
    await scene.suspend(eve);
    const observed = async (name: string, more: object = { otherUserId: name, content: 'Hello' }) => {
      const { result, statements } = await ownStatements(
        async () => await scene.at(ann, 'POST', '/conversations', more),
      );
      return { status: result.status, body: result.body, statements };
    };
    const unknown = await observed('0'.repeat(24));
    expect(unknown).toMatchObject({ status: 404, body: { error: { reason: 'MEMBER_NOT_FOUND' } } });
    for (const { memberId } of [bob, dan, eve]) expect(await observed(memberId)).toEqual(unknown);
    const nobody = await observed('nobody');
    for (const name of ['bob', 'dan', 'eve']) expect(await observed(name)).toEqual(nobody);
    expect(nobody.body).toEqual(unknown.body);
    expect((await observed('cleo')).body.error.reason).toBe('MEMBER_BLOCKED');
    expect((await observed('ann')).body.error.reason).toBe('VALIDATION_ERROR');
    expect((await observed('', {})).status).toBe(400);
    const grouped = async (name: string) =>
      await observed(name, { type: 'group', name: 'Garden', participantIds: [name] });
    const unknownInGroup = await grouped('0'.repeat(24));
    expect(unknownInGroup.body.error.reason).toBe('MEMBER_NOT_FOUND');
    for (const { memberId } of [bob, dan, eve]) expect(await grouped(memberId)).toEqual(unknownInGroup);
    expect(said(await scene.at(ann, 'POST', '/conversations', { otherUserId: 'bob', content: 'x'.repeat(2001) }))).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  it('are so many an hour, and made once for a request that is sent again', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const keyFor = (path: string) => ({ 'idempotency-key': path.slice(-16) });
    const twice = async (who: HouseMember, path: string, body: object) => {
      const keyed = keyFor(path);
      const [one, other] = [
        await scene.at(who, 'POST', path, body, keyed),
        await scene.at(who, 'POST', path, body, keyed),
      ];
      expect(one.status).toBeLessThan(300);
      expect(other.body).toEqual(one.body);
      expect(other.status).toBe(one.status);
      return one.body.data;
    };
    const { conversationId: id } = await twice(ann, '/conversations', { otherUserId: 'bob', content: 'Hello' });
    const sent = await twice(bob, `/conversations/${id}/messages`, { content: 'Yes?' });
    expect(sent).toMatchObject({ seq: 2 });
    const path = `/conversations/${id}/messages`;
    expect(said(await scene.at(bob, 'POST', path, { content: 'Other' }, keyFor(path)))).toBe(
      '409 IDEMPOTENCY_KEY_REUSED',
    );
    await twice(ann, `/${sent['_id']}/forward`, { targetConversationId: id });
    await twice(ann, `/${sent['_id']}/reactions`, { emoji: '👍' });
    const group = { type: 'group', name: 'Garden', participantIds: ['bob'] };
    const key = { 'idempotency-key': 'another' };
    const made = await scene.at(ann, 'POST', '/conversations', group, key);
    expect((await scene.at(ann, 'POST', '/conversations', group, key)).body.data['_id']).toBe(made.body.data['_id']);
    expect(await scene.read(bob, id)).toHaveLength(3);

    const { begunPerHour } = house.ctx.config.chat;
    const row = await house.ctx.db
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const begun = Array.from({ length: begunPerHour - 1 }, (_, at) => ({
      ...row,
      id: String(at).padStart(32, '0'),
      pair: `social_direct ${at}`,
    }));
    await house.ctx.db.insertInto('conversations').values(begun).execute();
    const refused = await scene.at(ann, 'POST', '/conversations', { otherUserId: 'cleo' });
    expect(said(refused)).toBe('429 RATE_LIMITED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    const withCleo = { ...group, participantIds: ['bob', 'cleo'] };
    expect(said(await scene.at(ann, 'POST', '/conversations', withCleo))).toBe('429 RATE_LIMITED');
    // Bob has answered.
    expect(said(await scene.at(ann, 'POST', '/conversations', group))).toBe('201 success');
    expect((await scene.at(ann, 'POST', '/conversations', group, key)).body.data['_id']).toBe(made.body.data['_id']);
    // Chat counts with it.
    expect(said(await house.perform(direct.sendDirect, { recipientId: cleo.memberId, content: 'Hi' }, ann.token))).toBe(
      '429 RATE_LIMITED',
    );
    house.clock.advance(3_600_000);
    expect(said(await scene.at(ann, 'POST', '/conversations', { otherUserId: 'cleo' }))).toBe('200 success');
  });
});
