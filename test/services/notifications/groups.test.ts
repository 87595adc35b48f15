import type { NewNotification } from '../../../src/service/ports/notification-rules.ts';
import { describe, expect, it } from 'vitest';
import { purgeNotifications } from '../../../src/shared/notifications/purge.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { ask, contents, heard, idOf, notified, withdrawn } from './notifying.ts';

const HOUR = 3_600_000;

function likeOf(ann: HouseMember, { memberId: actorId, username }: HouseMember): NewNotification & { actorId: string } {
  const content = `${username} likes your post.`;
  return { recipientId: ann.memberId, type: 'like', targetId: 'post', actorId, content, once: true };
}

async function people(house: House, count: number): Promise<[HouseMember, ...HouseMember[]]> {
  const ann = await house.register();
  const others: HouseMember[] = [];
  for (let left = count; left > 0; left -= 1) others.push(await house.register());
  return [ann, ...others];
}

describe.each(engines)('groups of notifications on %s', (engine) => {
  it('name the latest members who caused them, each once, and count all of them', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, ...others] = await people(house, 13);
    const reply = (who: HouseMember) => ({ ...likeOf(ann, who), type: 'reply' as const, once: false });
    const [first, second] = others as [HouseMember, HouseMember];
    await notified(house, reply(first));
    await notified(house, reply(first));
    const [alone] = (await ask(house, ann, 'GET')).notifications;
    expect(alone).toMatchObject({ count: 2, actorId: first.memberId });
    expect(alone).not.toHaveProperty('actorIds');
    await notified(house, reply(second));
    await notified(house, reply(first));
    const [two] = (await ask(house, ann, 'GET')).notifications;
    expect(two).toMatchObject({ count: 4, actorCount: 2, actorIds: [first.memberId, second.memberId] });
    for (const who of others.slice(2)) await notified(house, reply(who));
    const [many] = (await ask(house, ann, 'GET')).notifications;
    expect(many).toMatchObject({ _id: idOf(alone), count: 15, actorCount: 13 });
    expect(many.actorIds).toEqual(
      others
        .map(({ memberId }) => memberId)
        .toReversed()
        .slice(0, 10),
    );
    expect(heard(house, ann).at(-2)).toEqual(['notification:new', { notification: many }]);
  });

  it('count many who come at once, each once', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, ...others] = await people(house, 8);
    await Promise.all([...others, ...others].map(async (who) => await notified(house, likeOf(ann, who))));
    const { notifications } = await ask(house, ann, 'GET');
    expect(notifications).toMatchObject([{ count: 8, actorCount: 8 }]);
    expect(new Set(notifications[0].actorIds)).toEqual(new Set(others.map(({ memberId }) => memberId)));
  });

  it('lose a member who takes back what they did, and no word of that member is left', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob, cy, dan] = (await people(house, 3)) as [HouseMember, HouseMember, HouseMember, HouseMember];
    for (const who of [bob, cy, dan]) {
      await notified(house, likeOf(ann, who));
      house.clock.advance(1);
    }
    const back = async ({ memberId: actorId }: HouseMember) =>
      await withdrawn(house, { actorId, type: 'like', targetId: 'post' });
    await back(dan);
    const [two] = (await ask(house, ann, 'GET')).notifications;
    expect(two).toMatchObject({
      content: `${cy.username} likes your post.`,
      actorId: cy.memberId,
      count: 2,
      actorCount: 2,
      actorIds: [cy.memberId, bob.memberId],
    });
    const events = await house.ctx.db.selectFrom('events').select('data').execute();
    expect(JSON.stringify(events)).not.toContain(dan.memberId);
    await back(bob);
    const [one] = (await ask(house, ann, 'GET')).notifications;
    expect(one).toMatchObject({ content: `${cy.username} likes your post.`, count: 1 });
    expect(one).not.toHaveProperty('actorIds');
    await back(bob);
    await withdrawn(house, { actorId: cy.memberId, type: 'reply', targetId: 'post' });
    await withdrawn(house, { actorId: cy.memberId, type: 'like', targetId: 'another' });
    expect(await contents(house, ann)).toHaveLength(1);
    await back(cy);
    expect(await contents(house, ann)).toEqual([]);
    expect(heard(house, ann).slice(-2)).toEqual([
      ['notification:deleted', { notificationId: idOf(one) }],
      ['notification:count', { unreadCount: 0 }],
    ]);
    expect(await house.ctx.db.selectFrom('notification_actors').select('actor_id').execute()).toEqual([]);
  });
});

describe.each(engines)('what happens once on %s', (engine) => {
  it('is told once, however often it is done, undone and done again, by whatever channel', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob, cy] = (await people(house, 2)) as [HouseMember, HouseMember, HouseMember];
    const like = likeOf(ann, bob);
    expect(await notified(house, like)).toBe(true);
    const told = heard(house, ann).length;
    for (let times = 0; times < 5; times += 1) expect(await notified(house, like)).toBe(false);
    await ask(house, ann, 'POST', '/read-all');
    expect(await notified(house, like)).toBe(false);
    await ask(house, ann, 'DELETE');
    expect(await notified(house, like)).toBe(false);
    expect(await contents(house, ann)).toEqual([]);
    expect(heard(house, ann).slice(told)).not.toContainEqual(['notification:new', expect.anything()]);
    // Others, other targets and other types are other things.
    expect(await notified(house, likeOf(ann, cy))).toBe(true);
    expect(await notified(house, { ...like, targetId: 'another' })).toBe(true);
    expect(await notified(house, { ...like, type: 'repost' })).toBe(true);
    const lacking = notified(house, { recipientId: ann.memberId, type: 'like', content: 'x', once: true });
    await expect(lacking).rejects.toThrow('what happens once needs an actor and a target');
  });

  it('is back in the list without another word if it was taken back in between', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = (await people(house, 1)) as [HouseMember, HouseMember];
    const like = likeOf(ann, bob);
    await notified(house, like);
    for (let times = 0; times < 3; times += 1) {
      await withdrawn(house, { actorId: bob.memberId, type: 'like', targetId: 'post' });
      expect(await contents(house, ann)).toEqual([]);
      expect(await notified(house, like)).toBe(true);
    }
    expect(await ask(house, ann, 'GET', '/unread-count')).toEqual({ unreadCount: 1 });
    // The first one was planned for a digest, and is gone. Its later versions interrupt nobody.
    const rows = await house.ctx.db.selectFrom('notifications').select(['digest', 'pushed_at']).execute();
    expect(rows).toEqual([{ digest: 0, pushed_at: null }]);
  });

  it('is told again after a day, unless it still stands in the list', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob, cy] = (await people(house, 2)) as [HouseMember, HouseMember, HouseMember];
    await notified(house, likeOf(ann, bob));
    await notified(house, likeOf(ann, cy));
    house.clock.advance(25 * HOUR);
    await purgeNotifications(house.ctx);
    expect(await house.ctx.db.selectFrom('notification_once').select('at').execute()).toEqual([]);
    expect(await notified(house, likeOf(ann, bob))).toBe(false);
    const signedIn = { ...ann, token: await house.signIn(ann) };
    await ask(house, signedIn, 'DELETE');
    expect(await notified(house, likeOf(ann, bob))).toBe(true);
    expect(await contents(house, signedIn)).toHaveLength(1);
  });

  it('is told once when it comes many times at once', async () => {
    await using house = await openHouse(engine, { context: { notificationRules: [] } });
    const [ann, bob] = (await people(house, 1)) as [HouseMember, HouseMember];
    await Promise.all(Array.from({ length: 10 }, async () => await notified(house, likeOf(ann, bob))));
    expect((await ask(house, ann, 'GET')).notifications).toMatchObject([{ count: 1 }]);
  });
});
