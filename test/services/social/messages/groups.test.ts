import { describe, expect, it } from 'vitest';
import { messageLimits } from '../../../../src/contract/social/messages/limits.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import type { Offload } from '../../../../src/service/ports/workers.ts';
import { wrapRoomKeysTask } from '../../../../src/shared/group-keys/wrap-task.ts';
import { eventually } from '../../../support/eventually.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { lentOffload } from '../../../support/lent-offload.ts';
import { engines } from '../../../support/stores.ts';
import { png } from '../../filevault/pictures.ts';
import { contents } from '../../notifications/notifying.ts';
import { openHeard } from '../heard-scene.ts';
import { said } from '../scene.ts';
import { openMessages, type MessagesScene } from './scene.ts';

const open = async (engine: EngineName) => await openHeard(async (options) => await openMessages(engine, options));
type Heard = NonNullable<Awaited<ReturnType<Awaited<ReturnType<typeof open>>['listen']>>>;
const names = ({ heard }: Heard) => heard.map(({ type }) => type);

/** A picture that a member has uploaded: its id and URL. */
async function uploaded({ house }: MessagesScene, { token }: HouseMember) {
  const file = png(8, 4, Buffer.alloc(100));
  const { status, body } = await house.api('POST', '/api/social/media', {
    token,
    rawBody: new Uint8Array(file),
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(file.length) },
  });
  expect(status).toBe(201);
  return { id: body.data['_id'] as string, url: body.data.url as string };
}

describe.each(engines)('groups of the social network on %s', (engine) => {
  it('have so many participants, names like others, and take all who are added or nobody', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const [dan, eve] = [await house.register({ username: 'dan' }), await house.register({ username: 'eve' })];
    const ids = Array.from({ length: messageLimits.participants }, (_, at) => String(at).padStart(24, '0'));
    const begin = async (participantIds: unknown, name: unknown = 'Garden') =>
      await scene.at(ann, 'POST', '/conversations', { type: 'group', name, participantIds });
    expect(said(await begin(ids))).toBe('400 VALIDATION_ERROR');
    expect(said(await begin(ids.slice(1)))).toBe('404 MEMBER_NOT_FOUND');
    for (const none of [[], [ann.memberId], undefined, 'bob'])
      expect(said(await begin(none))).toBe('400 VALIDATION_ERROR');
    for (const name of ['', ' ', 'x'.repeat(101), 'bell \u0007', 7])
      expect(said(await begin(['bob'], name))).toBe('400 VALIDATION_ERROR');
    expect(said(await begin(['bob', 'nobody']))).toBe('404 MEMBER_NOT_FOUND');
    const add = async (who: HouseMember, id: string, userIds: readonly string[]) =>
      await scene.at(who, 'POST', `/conversations/${id}/participants`, { userIds });
    const spoken = { type: 'group', name: 'Garden', participantIds: ['bob'], content: 'Welcome' };
    expect(await scene.do(ann, 'POST', '/conversations', spoken)).toMatchObject({
      lastMessagePreview: 'Welcome',
      lastSeq: 1,
    });
    // Duplicates and oneself do not count.
    const { _id: id } = (await begin(['bob', bob.memberId, 'ann'], '  Tea  ')).body.data;
    const there = async () => (await scene.do(ann, 'GET', `/conversations/${id}`)).participantIds as string[];
    expect(await scene.do(bob, 'GET', `/conversations/${id}`)).toMatchObject({ name: 'Tea' });
    expect(await there()).toEqual([ann.memberId, bob.memberId].toSorted((one) => (one === ann.memberId ? -1 : 1)));
    await scene.privacy(dan, { allowDmsFromNonFollowers: false });
    for (const [userIds, answer] of [
      [['cleo', 'nobody'], '404 MEMBER_NOT_FOUND'],
      [['cleo', 'bob'], '409 ALREADY_IN_ROOM'],
      [['cleo', 'dan'], '403 DMS_CLOSED'],
      [ids, '400 VALIDATION_ERROR'],
      [['bob'], '409 ALREADY_IN_ROOM'],
    ] as const) {
      expect([userIds.length, said(await add(ann, id, userIds))]).toEqual([userIds.length, answer]);
      expect(await there()).toHaveLength(2);
    }
    await scene.follow(bob, dan);
    expect((await add(bob, id, ['dan'])).status).toBe(200);
    expect(said(await add(bob, id, ['bob']))).toBe('200 success');
    expect((await add(bob, id, ['cleo', 'cleo', 'bob'])).body).toMatchObject({ message: 'Members added' });
    expect(await there()).toHaveLength(4);
    await scene.later(0);
    expect(await contents(house, cleo)).toEqual(['bob added you to Tea.']);
    // As if there were so many in it that one more is possible.
    const fill = async (members: number) =>
      await house.ctx.db.updateTable('rooms').set({ member_count: members }).where('id', '=', id).execute();
    await fill(messageLimits.participants - 1);
    const erin = await house.register({ username: 'erin' });
    expect(said(await add(ann, id, ['eve', 'erin']))).toBe('409 ROOM_FULL');
    expect(said(await add(bob, id, ['eve']))).toBe('200 success');
    expect(said(await add(bob, id, [erin.memberId]))).toBe('409 ROOM_FULL');
    await fill(5);
    expect(await there()).toEqual(expect.arrayContaining([eve.memberId]));
    expect(await there()).toHaveLength(5);
    // Everybody in it changes its name; the owner removes others.
    const rename = async (who: HouseMember, one: string, name: unknown) =>
      await scene.at(who, 'PUT', `/conversations/${one}/settings`, { name });
    expect((await rename(cleo, id, 'Coffee')).body.data).toMatchObject({ name: 'Coffee', title: 'Coffee' });
    for (const name of ['', 'x'.repeat(101), null])
      expect(said(await rename(cleo, id, name))).toBe('400 VALIDATION_ERROR');
    expect((await scene.listed(bob)).map((one) => one.name).toSorted()).toEqual(['Coffee', 'Garden']);
    const remove = async (who: HouseMember, name: string) =>
      said(await scene.at(who, 'DELETE', `/conversations/${id}/participants/${name}`));
    for (const [who, name, answer] of [
      [bob, 'cleo', '403 FORBIDDEN'],
      [bob, 'ann', '403 FORBIDDEN'],
      [bob, 'bob', '403 FORBIDDEN'],
      [ann, 'ann', '403 FORBIDDEN'],
      [ann, 'nobody', '404 NOT_IN_ROOM'],
      [ann, erin.memberId, '404 NOT_IN_ROOM'],
      [ann, 'cleo', '200 success'],
      [ann, 'cleo', '404 NOT_IN_ROOM'],
    ] as const)
      expect([name, await remove(who, name)]).toEqual([name, answer]);
    // A conversation of two is none.
    const pair = await scene.friends(ann, bob);
    expect(said(await add(ann, pair, ['cleo']))).toBe('400 VALIDATION_ERROR');
    expect(said(await rename(ann, pair, 'Two'))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.at(ann, 'DELETE', `/conversations/${pair}/participants/bob`))).toBe('400 VALIDATION_ERROR');
    expect(await contents(house, cleo)).toEqual([]);
  });

  it('make no key for those who find no room', async () => {
    const ran: string[] = [];
    const noted = (offload: Offload): Offload => ({
      of: (owner) => noted(offload.of(owner)),
      async run(task, input, options) {
        ran.push(task.name);
        return await offload.run(task, input, options);
      },
    });
    await using scene = await openMessages(engine, { context: { offload: noted(lentOffload()) } });
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob);
    const fill = async (members: number) =>
      await house.ctx.db.updateTable('rooms').set({ member_count: members }).where('id', '=', id).execute();
    const key = { 'idempotency-key': 'once' };
    const add = async () =>
      await scene.at(ann, 'POST', `/conversations/${id}/participants`, { userIds: [cleo.memberId] }, key);
    await fill(messageLimits.participants);
    ran.length = 0;
    expect(said(await add())).toBe('409 ROOM_FULL');
    expect(ran).not.toContain(wrapRoomKeysTask.name);
    await fill(messageLimits.participants - 1);
    expect(said(await add())).toBe('200 success');
    expect(ran).toContain(wrapRoomKeysTask.name);
    // Full now, it answers what it answered when it comes again.
    expect(said(await add())).toBe('200 success');
  });

  it('remove nobody if the answer to that cannot be made', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob, cleo);
    const { _id } = await scene.say(ann, id, 'Hello');
    const { sealed } = await house.ctx.db
      .selectFrom('conversation_messages')
      .select('sealed')
      .where('id', '=', _id)
      .executeTakeFirstOrThrow();
    const store = async (stored: Uint8Array | null) =>
      await house.ctx.db.updateTable('conversation_messages').set({ sealed: stored }).where('id', '=', _id).execute();
    const remove = async () => await scene.at(ann, 'DELETE', `/conversations/${id}/participants/bob`);
    const there = async () => (await scene.do(ann, 'GET', `/conversations/${id}`)).participantIds;
    // A preview that can't be opened.
    await store(Uint8Array.from(sealed!, (byte) => byte ^ 1));
    expect(said(await remove())).toBe('500 STORE_DAMAGED');
    await store(sealed);
    expect(await there()).toHaveLength(3);
    const removed = await remove();
    expect(removed.body.data.participantIds).toEqual(await there());
    expect(await there()).not.toContain(bob.memberId);
  });

  it('name nobody in what they say of several of whom one is not there', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const id = await scene.group(ann, bob);
    await scene.block(cleo, ann);
    for (const [path, body] of [
      ['/conversations', { type: 'group', name: 'Garden', participantIds: ['bob', 'cleo'] }],
      [`/conversations/${id}/participants`, { userIds: ['bob', 'cleo'] }],
    ] as const) {
      const refused = await scene.at(ann, 'POST', path, body);
      expect(said(refused)).toBe('404 MEMBER_NOT_FOUND');
      expect(refused.body.error.message).not.toContain('cleo');
    }
  });

  it('are heard by those who are in them, once, in the words of the social network, and stored without texts', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { ann, bob, cleo, house } = scene;
    const inboxes = [(await listen(bob, `inbox:${bob.memberId}`))!, (await listen(cleo, `inbox:${cleo.memberId}`))!];
    const id = await scene.group(ann, bob);
    const topic = `conversation:${id}`;
    expect(await listen(cleo, topic)).toBeUndefined();
    const [annHears, bobHears] = [(await listen(ann, topic))!, (await listen(bob, topic))!];
    const message = await scene.say(ann, id, 'Something secret', { clientId: 'mine' });
    await scene.do(ann, 'PUT', `/${message['_id']}`, { content: 'Something else' });
    await scene.do(bob, 'POST', `/${message['_id']}/reactions`, { emoji: '👍' });
    await scene.do(bob, 'DELETE', `/${message['_id']}/reactions/${encodeURIComponent('👍')}`);
    await scene.do(bob, 'POST', `/conversations/${id}/typing`, {});
    await scene.do(ann, 'PUT', `/conversations/${id}/settings`, { name: 'Tea' });
    await scene.do(bob, 'POST', `/conversations/${id}/participants`, { userIds: ['cleo'] });
    const cleoHears = (await listen(cleo, topic, 0))!;
    // What was deleted, or is for who has left, is not told late.
    for (const heard of [annHears, bobHears]) await eventually(() => expect(names(heard)).toContain('message:edited'));
    await scene.do(ann, 'DELETE', `/${message['_id']}`);
    await eventually(() => expect(names(bobHears)).toContain('message:deleted'));
    await scene.do(ann, 'DELETE', `/conversations/${id}/participants/bob`);
    await scene.say(ann, id, 'After bob');
    await eventually(() => expect(names(cleoHears)).toContain('message:new'));
    await scene.do(cleo, 'DELETE', `/conversations/${id}`);
    const before = [
      'message:new',
      'message:edited',
      'message:reaction',
      'message:reaction',
      'conversation:typing',
      'conversation:updated',
      'conversation:updated',
      'message:deleted',
    ];
    const passing = 'conversation:typing';
    const kept = (heard: Heard) => names(heard).filter((name) => name !== passing);
    const replayable = before.filter((name) => name !== passing);
    await eventually(() =>
      expect(kept(annHears)).toEqual([...replayable, 'conversation:updated', 'message:new', 'conversation:updated']),
    );
    await setting.sockets.settled();
    expect(kept(bobHears)).toEqual(replayable);
    expect(names(annHears).filter((name) => name === passing)).toHaveLength(1);
    expect(names(bobHears)).not.toContain(passing);
    // Of what was before her she hears nothing.
    expect(kept(cleoHears)).toEqual(['conversation:updated', 'conversation:updated', 'message:new']);
    for (const { heard } of [annHears, bobHears, cleoHears])
      for (const { type, data } of heard) {
        expect(data.conversationId).toBe(id);
        expect(data).not.toHaveProperty('contextType');
        if (type !== passing) expect(typeof data.seq).toBe('number');
      }
    const [sent, edited, reacted, taken] = annHears.heard.filter(({ type }) => type !== passing);
    // The text is read when it is heard.
    expect(sent!.data).toMatchObject({
      seq: 1,
      message: { _id: message['_id'], clientId: 'mine', forwardedFromId: null },
    });
    expect(edited!.data.message).toMatchObject({ content: 'Something else' });
    const reaction = { userId: bob.memberId, emoji: '👍' };
    expect(reacted!.data).toMatchObject({ reactions: [reaction], reactionCounts: [{ emoji: '👍', count: 1 }] });
    expect(taken!.data).toMatchObject({ messageId: message['_id'], reactions: [], reactionCounts: [] });
    const updates = annHears.heard
      .filter(({ type }) => type === 'conversation:updated')
      .map(({ data }) => data.conversation);
    expect(updates).toMatchObject([
      { name: 'Tea', participantIds: expect.any(Array) },
      { participantIds: expect.arrayContaining([cleo.memberId, bob.memberId, ann.memberId]) },
      { participantIds: expect.not.arrayContaining([bob.memberId]) },
      { participantIds: [ann.memberId], ownerId: ann.memberId },
    ]);
    for (const update of updates) expect(update).not.toHaveProperty('unreadCount');
    expect(await listen(bob, topic)).toBeUndefined();
    expect(said(await scene.at(bob, 'GET', `/conversations/${id}/messages`))).toBe('403 FORBIDDEN');
    for (const inbox of inboxes) {
      await eventually(() => expect(names(inbox).at(-1)).toBe('conversation:removed'));
      const own = names(inbox).filter((name) => /added|removed|communication/.test(name));
      expect(own).toEqual(['conversation:added', 'conversation:removed']);
    }
    const stored = await house.ctx.db.selectFrom('events').selectAll().execute();
    expect(JSON.stringify(stored)).not.toMatch(/Something|After bob|communication:/);
    // A replay has no text of what was deleted.
    const again = (await listen(ann, topic, 0))!;
    await eventually(() => expect(names(again).at(-1)).toBe('conversation:updated'));
    expect(JSON.stringify(again.heard)).not.toContain('Something');
  });

  it('tell of typing and reading to those who show that, and of nothing between two whom a block parts', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob, cleo);
    const one = `/conversations/${id}`;
    const topic = `conversation:${id}`;
    await scene.block(bob, cleo);
    const [annHears, bobHears, cleoHears] = [
      (await listen(ann, topic))!,
      (await listen(bob, topic))!,
      (await listen(cleo, topic))!,
    ];
    const message = await scene.say(cleo, id, 'Hello @bob and @all');
    await scene.do(cleo, 'POST', `${one}/typing`);
    const read = await scene.do(bob, 'POST', `${one}/read`, {});
    expect(read).toMatchObject({ conversationId: id, userId: bob.memberId, lastReadMessageId: message['_id'] });
    await eventually(() =>
      expect(names(annHears).toSorted()).toEqual(['conversation:read', 'conversation:typing', 'message:new']),
    );
    await setting.sockets.settled();
    await eventually(() => expect(names(bobHears)).toEqual(['conversation:read']));
    await eventually(() => expect(names(cleoHears)).toEqual(['message:new']));
    expect(annHears.heard.find(({ type }) => type === 'conversation:read')?.data).toEqual({
      conversationId: id,
      seq: 1,
      userId: bob.memberId,
      lastReadAt: read.lastReadAt,
    });
    // Hidden messages keep their place; the owner sees all of them.
    expect(await scene.read(bob, id)).toMatchObject([
      { _id: message['_id'], content: null, isHidden: true, reactions: [] },
    ]);
    expect(await scene.read(ann, id)).toMatchObject([{ content: 'Hello @bob and @all', isHidden: false }]);
    expect(await scene.listed(bob)).toMatchObject([{ lastMessagePreview: null, lastSeq: 1, mentionCount: 0 }]);
    for (const [path, body] of [
      ['/reactions', { emoji: '👍' }],
      ['/report', { reason: 'Bad' }],
      ['/forward', { targetConversationId: id }],
    ] as const)
      expect([path, said(await scene.at(bob, 'POST', `/${message['_id']}${path}`, body))]).toEqual([
        path,
        '404 MESSAGE_NOT_FOUND',
      ]);
    await scene.later(10_000);
    expect((await contents(house, bob)).filter((text) => !text.includes('added'))).toEqual([]);
    expect((await contents(house, ann)).filter((text) => !text.includes('added'))).toEqual([
      'cleo mentioned you in Garden.',
    ]);
    // Neither adds the other, and neither begins a group with the other.
    const other = await scene.group(bob, ann);
    expect(said(await scene.at(bob, 'POST', `/conversations/${other}/participants`, { userIds: ['cleo'] }))).toBe(
      '404 MEMBER_NOT_FOUND',
    );
    // A third one may have both in a group. Whoever blocked the owner can be removed.
    await scene.block(bob, ann);
    await scene.do(ann, 'DELETE', `${one}/participants/bob`);
    expect((await scene.do(ann, 'GET', one)).participantIds).toHaveLength(2);
    // Receipts are mutual.
    await scene.privacy(cleo, { showReadReceipts: false });
    await scene.say(ann, id, 'Two');
    await scene.do(cleo, 'POST', `${one}/read`, {});
    await scene.say(cleo, id, 'Three');
    await scene.do(ann, 'POST', `${one}/read`, {});
    const readers = () =>
      annHears.heard.filter(({ type }) => type === 'conversation:read').map(({ data }) => data.userId as string);
    // Who writes has read what is above, and hears of it on their other sockets.
    await eventually(() => expect(readers()).toEqual([bob.memberId, ann.memberId, ann.memberId]));
    expect(names(cleoHears)).not.toContain('conversation:read');
  });

  it('tell whom a block parts from the sender of a message nothing of the reactions to it', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { ann, bob, cleo } = scene;
    const id = await scene.group(ann, bob, cleo);
    await scene.block(bob, cleo);
    const heard = (await listen(bob, `conversation:${id}`))!;
    const { _id } = await scene.say(cleo, id, 'Hello');
    await scene.do(ann, 'POST', `/${_id}/reactions`, { emoji: '👍' });
    await scene.say(ann, id, 'After it');
    await eventually(() => expect(names(heard)).toContain('message:new'));
    expect(names(heard).filter((name) => name.startsWith('message:'))).toEqual(['message:new']);
  });

  it('have a picture that is seen by those who are in them alone, and goes when it is replaced', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const id = await scene.group(ann, bob);
    const [first, second, foreign] = [
      await uploaded(scene, bob),
      await uploaded(scene, ann),
      await uploaded(scene, cleo),
    ];
    const change = async (who: HouseMember, avatarUrl: unknown) =>
      await scene.at(who, 'PUT', `/conversations/${id}/settings`, { avatarUrl });
    const sees = async (who: HouseMember, picture = first.id) =>
      (await house.api('GET', `/api/social/media/${picture}`, { token: who.token })).status;
    expect([await sees(bob), await sees(ann), await sees(cleo)]).toEqual([200, 404, 404]);
    expect((await change(bob, first.url)).body.data.avatarUrl).toBe(`/api/social/media/${first.id}`);
    expect([await sees(bob), await sees(ann), await sees(cleo)]).toEqual([200, 200, 404]);
    for (const none of [foreign.url, first.url.replace(first.id, '0'.repeat(32)), 'x'])
      expect(said(await change(ann, none))).toBe('400 INVALID_MEDIA');
    expect(said(await change(cleo, foreign.url))).toBe('403 FORBIDDEN');
    // The same one again changes nothing, and a name leaves it.
    expect((await change(ann, first.url)).status).toBe(200);
    expect((await scene.do(ann, 'PUT', `/conversations/${id}/settings`, { name: 'Tea' })).avatarUrl).toContain(
      first.id,
    );
    expect(await sees(ann)).toBe(200);
    expect((await change(ann, second.url)).status).toBe(200);
    expect([await sees(bob), await sees(ann)]).toEqual([404, 404]);
    expect([await sees(bob, second.id), await sees(cleo, second.id)]).toEqual([200, 404]);
    // Taken, it is nobody's to give to another group, and whoever leaves does not see it any more.
    const other = await scene.group(ann, cleo);
    expect(said(await scene.at(ann, 'PUT', `/conversations/${other}/settings`, { avatarUrl: second.url }))).toBe(
      '400 INVALID_MEDIA',
    );
    await scene.do(bob, 'DELETE', `/conversations/${id}`);
    expect(await sees(bob, second.id)).toBe(404);
    const gone = await change(ann, null);
    expect(gone.body.data).not.toHaveProperty('avatarUrl');
    expect(await sees(ann, second.id)).toBe(404);
  });
});
