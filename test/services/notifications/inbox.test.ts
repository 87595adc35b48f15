import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createHub } from '../../../src/platform/realtime/hub.ts';
import { services } from '../../../src/node/services.ts';
import { recordId } from '../../../src/platform/store/record-id.ts';
import { listenerOf } from '../../platform/realtime/hearing.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { ask, call, contents, heard, idOf, notified, refusal, withdrawn } from './notifying.ts';

const MINUTE = 60_000;

describe.each(engines)('notifications on %s', (engine) => {
  it('are listed for their recipient alone, the latest first, in pages', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = [await house.register(), await house.register()];
    for (const content of ['One', 'Two', 'Three']) {
      await notified(house, { recipientId: ann.memberId, type: 'mention', actorId: bob.memberId, content });
      house.clock.advance(1);
    }
    const first = await ask(house, ann, 'GET', '?limit=2');
    expect(first.notifications.map(({ content }: { content: string }) => content)).toEqual(['Three', 'Two']);
    expect(first.hasMore).toBe(true);
    const second = await ask(house, ann, 'GET', `?limit=2&cursor=${first.cursor}`);
    expect(second).toMatchObject({ notifications: [{ content: 'One' }], hasMore: false });
    const [latest] = first.notifications;
    const now = new Date(house.clock.now() - 1).toISOString();
    expect(latest).toEqual({
      _id: idOf(latest),
      recipientId: ann.memberId,
      type: 'mention',
      category: 'social',
      content: 'Three',
      actorId: bob.memberId,
      groupKey: idOf(latest),
      count: 1,
      isRead: false,
      createdAt: now,
      updatedAt: now,
    });
    expect(await contents(house, bob)).toEqual([]);
    expect(await ask(house, bob, 'GET', '/unread-count')).toEqual({ unreadCount: 0 });
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 3 });
  });

  it('are read and deleted one by one and all at once, and sockets hear of it', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    for (const content of ['One', 'Two', 'Three']) {
      await notified(house, { recipientId: ann.memberId, type: 'mention', content });
      house.clock.advance(1);
    }
    const [third, second] = (await ask(house, ann, 'GET')).notifications;
    const { notification } = await ask(house, ann, 'POST', `/${idOf(third)}/read`);
    expect(notification).toEqual({ ...third, isRead: true });
    const sofar = heard(house, ann).length;
    expect((await ask(house, ann, 'POST', `/${idOf(third)}/read`)).notification).toEqual(notification);
    expect(heard(house, ann)).toHaveLength(sofar);
    expect(await contents(house, ann, '?unread=true')).toEqual(['Two', 'One']);
    expect(await contents(house, ann, '?unread=false')).toEqual(['Three']);
    expect(await ask(house, ann, 'DELETE', `/${idOf(second)}`)).toEqual({ notificationId: idOf(second) });
    expect(await ask(house, ann, 'POST', '/read-all')).toEqual({ marked: 1, unreadCount: 0 });
    expect(await ask(house, ann, 'POST', '/read-all')).toEqual({ marked: 0, unreadCount: 0 });
    expect(await ask(house, ann, 'DELETE')).toEqual({ deleted: 2 });
    expect(await ask(house, ann, 'DELETE')).toEqual({ deleted: 0 });
    const events = heard(house, ann);
    expect(events.slice(0, 2)).toMatchObject([
      ['notification:new', { notification: { content: 'One', recipientId: ann.memberId } }],
      ['notification:count', { unreadCount: 1 }],
    ]);
    expect(events.slice(6)).toEqual([
      ['notification:read', { notificationId: idOf(third) }],
      ['notification:count', { unreadCount: 2 }],
      ['notification:deleted', { notificationId: idOf(second) }],
      ['notification:count', { unreadCount: 1 }],
      ['notification:read', {}],
      ['notification:count', { unreadCount: 0 }],
      ['notification:deleted', {}],
      ['notification:count', { unreadCount: 0 }],
    ]);
  });

  it('of others are as if they did not exist', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = [await house.register(), await house.register()];
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'For Ann' });
    const [{ _id: id }] = (await ask(house, ann, 'GET')).notifications;
    const missing = recordId(house.clock.now(), house.ctx.random);
    for (const one of [id, missing])
      for (const [method, path] of [
        ['POST', `/${one}/read`],
        ['DELETE', `/${one}`],
      ] as const)
        expect(refusal(await call(house, bob, method, path))).toEqual([
          '404 NOTIFICATION_NOT_FOUND',
          'You have no such notification.',
        ]);
    await ask(house, bob, 'POST', '/read-all');
    await ask(house, bob, 'DELETE');
    expect(await contents(house, ann, '?unread=true')).toEqual(['For Ann']);
    expect((await house.api('GET', '/api/social/notifications')).status).toBe(401);
  });

  it('of one type about one thing within an hour are one, which counts', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob, cleo] = [await house.register(), await house.register(), await house.register()];
    const like = { recipientId: ann.memberId, type: 'like', targetId: 'post-1' } as const;
    await notified(house, { ...like, actorId: bob.memberId, content: 'Bob likes it' });
    house.clock.advance(59 * MINUTE);
    await notified(house, { ...like, actorId: cleo.memberId, content: 'Cleo and one more like it' });
    await notified(house, { ...like, targetId: 'post-2', content: 'Another thing' });
    await notified(house, { ...like, type: 'repost', content: 'Another type' });
    const { notifications } = await ask(house, ann, 'GET');
    expect(notifications).toHaveLength(3);
    const group = notifications.find(({ count }: { count: number }) => count === 2);
    expect(group).toMatchObject({
      content: 'Cleo and one more like it',
      actorId: cleo.memberId,
      targetId: 'post-1',
      groupKey: 'like:post-1',
      createdAt: new Date(house.clock.now() - 59 * MINUTE).toISOString(),
      updatedAt: new Date(house.clock.now()).toISOString(),
    });
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 3 });
    expect(heard(house, ann).slice(2, 4)).toEqual([
      ['notification:new', { notification: group }],
      ['notification:count', { unreadCount: 1 }],
    ]);
    house.clock.advance(MINUTE);
    await notified(house, { ...like, content: 'After an hour' });
    await ask(house, ann, 'POST', '/read-all');
    house.clock.advance(1);
    await notified(house, { ...like, content: 'After it was read' });
    const counts = (await ask(house, ann, 'GET')).notifications.filter(
      ({ groupKey }: { groupKey: string }) => groupKey === 'like:post-1',
    );
    expect(counts.map(({ content, count }: { content: string; count: number }) => [content, count])).toEqual([
      ['After it was read', 1],
      ['After an hour', 1],
      ['Cleo and one more like it', 2],
    ]);
  });

  it('are one, counted rightly, when many come at once, and none is told that is not there', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const like = { recipientId: ann.memberId, type: 'like', targetId: 'post', content: 'Liked' } as const;
    const many = Array.from({ length: 12 }, async () => await notified(house, like));
    const others = [1, 2, 3].map(async () => await ask(house, ann, 'GET', '/unread-count'));
    await Promise.all([...many, ...others]);
    expect((await ask(house, ann, 'GET')).notifications).toMatchObject([{ count: 12, isRead: false }]);
    const counts = heard(house, ann).filter(([name]) => name === 'notification:count');
    expect(counts).toEqual(Array.from({ length: 12 }, () => ['notification:count', { unreadCount: 1 }]));
    await Promise.all([
      ask(house, ann, 'POST', '/read-all'),
      ...Array.from({ length: 4 }, async () => await notified(house, like)),
      withdrawn(house, { targetId: 'another' }),
    ]);
    const { notifications } = await ask(house, ann, 'GET');
    const sum = notifications.reduce((total: number, { count }: { count: number }) => total + count, 0);
    expect(sum).toBe(16);
    const unread = notifications.filter(({ isRead }: { isRead: boolean }) => !isRead).length;
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: unread });
    house.spoil();
    await expect(notified(house, { ...like, content: 'Undone' })).rejects.toThrow('made by a test');
    expect(await contents(house, ann)).not.toContain('Undone');
    expect(JSON.stringify(heard(house, ann))).not.toContain('Undone');
  });

  it('are for members, and not for whoever caused them', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const ann = await house.register();
    const about = { recipientId: ann.memberId, type: 'like', content: 'You like it' } as const;
    expect(await notified(house, { ...about, actorId: ann.memberId })).toBe(false);
    expect(await notified(house, { ...about, recipientId: '0'.repeat(24) })).toBe(false);
    expect(await notified(house, { ...about, recipientId: 'f'.repeat(24) })).toBe(false);
    expect(await contents(house, ann)).toEqual([]);
    expect(house.happened).toEqual([]);
  });

  it('are withdrawn when what they are about is over, and are not told again', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = [await house.register(), await house.register()];
    for (const { memberId: recipientId } of [ann, bob]) {
      await notified(house, { recipientId, type: 'quorum_vote_wanted', targetId: 'p', content: 'Vote' });
      await notified(house, { recipientId, type: 'quorum_decision', targetId: 'p', content: 'Decided' });
      await notified(house, { recipientId, type: 'quorum_decision', targetId: 'q', content: 'Another' });
    }
    const one = (await ask(house, ann, 'GET')).notifications.find(
      ({ content }: { content: string }) => content === 'Vote',
    );
    await withdrawn(house, { targetId: 'p', type: 'quorum_vote_wanted', recipientId: ann.memberId });
    expect((await contents(house, ann)).toSorted()).toEqual(['Another', 'Decided']);
    expect((await contents(house, bob)).toSorted()).toEqual(['Another', 'Decided', 'Vote']);
    expect(heard(house, ann).slice(-2)).toEqual([
      ['notification:deleted', { notificationId: idOf(one) }],
      ['notification:count', { unreadCount: 2 }],
    ]);
    const told = await house.ctx.db
      .selectFrom('events')
      .select('name')
      .where('topic', '=', `notifications:${ann.memberId}`)
      .orderBy('seq')
      .execute();
    expect(told.map(({ name }) => name)).toEqual(['notification:deleted', 'notification:count']);
    await withdrawn(house, { targetId: 'p' });
    expect(await contents(house, ann)).toEqual(['Another']);
    expect(await contents(house, bob)).toEqual(['Another']);
    const quiet = house.happened.length;
    await withdrawn(house, { targetId: 'p' });
    expect(house.happened).toHaveLength(quiet);
  });

  it('are kept up to a thousand for a member; read ones go first, then the oldest', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = [await house.register(), await house.register()];
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'template' });
    const { db } = house.ctx;
    const row = await db.selectFrom('notifications').selectAll().executeTakeFirstOrThrow();
    await db.deleteFrom('notifications').execute();
    const id = (at: number) => at.toString(16).padStart(32, '0');
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      ...row,
      id: id(at),
      group_key: id(at),
      content: `Number ${at}`,
      created_at: row.created_at - 2_000 + at,
      updated_at: row.created_at - 2_000 + at,
      is_read: at === 7 ? 1 : 0,
    }));
    for (let from = 0; from < rows.length; from += 100)
      await db
        .insertInto('notifications')
        .values(rows.slice(from, from + 100))
        .execute();
    await notified(house, { recipientId: bob.memberId, type: 'mention', content: 'Of Bob' });
    const before = heard(house, ann).length;
    for (const content of ['New', 'Newer'])
      await notified(house, { recipientId: ann.memberId, type: 'mention', content });
    const kept = await db.selectFrom('notifications').select('id').where('recipient_id', '=', ann.memberId).execute();
    expect(kept).toHaveLength(1_000);
    const ids = new Set(kept.map((one) => one.id));
    expect([0, 1, 7, 8].map((at) => ids.has(id(at)))).toEqual([false, true, false, true]);
    expect(heard(house, ann).slice(before)).toMatchObject([
      ['notification:deleted', { notificationId: id(7) }],
      ['notification:new', { notification: { content: 'New' } }],
      ['notification:count', { unreadCount: 1_000 }],
      ['notification:deleted', { notificationId: id(0) }],
      ['notification:new', { notification: { content: 'Newer' } }],
      ['notification:count', { unreadCount: 1_000 }],
    ]);
    expect(await contents(house, bob)).toEqual(['Of Bob']);
  });

  it('go with their recipient', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const { db } = house.ctx;
    const ann = await house.register();
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'One' });
    await ask(house, ann, 'PUT', '/preferences', { soundEnabled: false });
    await db.deleteFrom('members').where('id', '=', ann.memberId).execute();
    expect(await db.selectFrom('notifications').select('id').execute()).toEqual([]);
    expect(await db.selectFrom('notification_preferences').select('member_id').execute()).toEqual([]);
  });

  it('are heard by their recipient alone', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = [await house.register(), await house.register()];
    await notified(house, { recipientId: ann.memberId, type: 'mention', content: 'For Ann' });
    const never = () => Promise.reject(new Error('not asked'));
    const { store, clock } = house.ctx;
    const hub = createHub({ store, clock, log: silentLog, authenticate: never, redeem: never });
    for (const { events = {}, topics } of services)
      hub.register({ events: Object.values(events), topics: topics?.(house.ctx) });
    const [own, other] = [listenerOf(ann.memberId), listenerOf(bob.memberId)];
    const topic = `notifications:${ann.memberId}`;
    expect(await hub.topics.subscribe(own, topic, 0)).toEqual({ position: 2 });
    expect(own.heard.map(({ type }) => type)).toEqual(['notification:new', 'notification:count']);
    for (const refused of [topic, 'notifications:', 'notifications', `notifications:${bob.memberId}:x`])
      expect(await hub.topics.subscribe(other, refused, 0)).toBeUndefined();
    expect(other.heard).toEqual([]);
    await hub.settled();
  });
});
