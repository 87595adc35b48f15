import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { ask, heard, idOf, notified } from '../notifications/notifying.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial } from './scene.ts';

type Name = 'ada' | 'bob' | 'cleo' | 'dan';

async function openTold(engine: EngineName) {
  const scene = await openSocial(engine);
  const { house } = scene;
  const members: [string, HouseMember][] = [];
  for (const username of ['ada', 'bob', 'cleo', 'dan']) members.push([username, await house.register({ username })]);
  const settle = async () => {
    for (const service of ['social', 'notifications']) await runDueJobs(scene, service);
  };
  return {
    scene,
    house,
    people: Object.fromEntries(members) as Record<Name, HouseMember>,
    settle,
    /** a hub of the first one, with the others */
    async hub([owner, ...others]: HouseMember[], more: object = {}) {
      const { _id: id } = await scene.ask(owner!, 'POST', '/hubs', { name: 'Tea', ...more });
      for (const who of others) await scene.ask(who, 'POST', `/hubs/${id}/join`, {});
      return id as string;
    },
    /** ids of a member's notifications of a type, the latest first */
    async ids(who: HouseMember, type: string): Promise<string[]> {
      await settle();
      const { notifications } = await ask(house, who, 'GET', '?limit=50');
      return notifications.filter((one: { type: string }) => one.type === type).map(idOf);
    },
    /** what members are told of notifications while something happens, and in the jobs after it */
    async told(who: readonly HouseMember[], act: () => Promise<unknown>) {
      await settle();
      const before = who.map((one) => heard(house, one).length);
      await act();
      await settle();
      return who.map((one, at) => heard(house, one).slice(before[at]));
    },
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
}

const deleted = (notificationId: string) => ['notification:deleted', { notificationId }];
const count = (unreadCount: number) => ['notification:count', { unreadCount }];

describe.each(engines)('the end of a notification on %s', (engine) => {
  it.each(['deleted', 'edited'])('is not told to who was banned from the hub of a post that is %s', async (how) => {
    await using setting = await openTold(engine);
    const { scene, people, told } = setting;
    const { ada, bob, cleo } = people;
    const hub = await setting.hub([ada, bob, cleo]);
    const post = await scene.post(ada, 'Tea for @bob and @cleo', { hubIds: [hub] });
    const [[his], [hers]] = [await setting.ids(bob, 'mention'), await setting.ids(cleo, 'mention')];
    expect(
      (await told([bob], async () => await scene.ask(ada, 'POST', `/hubs/${hub}/ban`, { userId: bob.memberId })))[0],
    ).toContainEqual(deleted(his!));
    const end = async () =>
      how === 'deleted'
        ? await scene.ask(ada, 'DELETE', `/posts/${post}`)
        : await scene.ask(ada, 'PUT', `/posts/${post}`, { content: 'Tea for all' });
    expect(await told([bob, cleo], end)).toEqual([[], [deleted(hers!), count(0)]]);
    const left = await scene.house.ctx.db.selectFrom('notifications').select('type').execute();
    expect(left.map(({ type }) => type)).not.toContain('mention');
  });

  it.each(['deleted', 'edited'])(
    'is not told to who does not follow the protected author of a post that is %s',
    async (how) => {
      await using setting = await openTold(engine);
      const { scene, people, told } = setting;
      const { ada, bob, cleo } = people;
      await scene.follow(cleo, ada);
      const post = await scene.post(ada, 'Tea for @bob and @cleo');
      const [hers] = await setting.ids(cleo, 'mention');
      await scene.protect(ada);
      const end = async () =>
        how === 'deleted'
          ? await scene.ask(ada, 'DELETE', `/posts/${post}`)
          : await scene.ask(ada, 'PUT', `/posts/${post}`, { content: 'Tea for all' });
      expect(await told([bob, cleo], end)).toEqual([[], [deleted(hers!), count(0)]]);
    },
  );

  it('is not told of one in a group who is hidden, and of others is', async () => {
    await using setting = await openTold(engine);
    const { scene, people, told } = setting;
    const { ada, bob, cleo, dan } = people;
    const post = await scene.post(ada, 'Tea');
    const reposts: string[] = [];
    for (const who of [bob, cleo, dan]) {
      scene.house.clock.advance(1);
      reposts.push(idOf(await scene.ask(who, 'POST', `/posts/${post}/repost`)));
    }
    const [group] = await setting.ids(ada, 'repost');
    await scene.protect(bob);
    await scene.protect(dan);
    const undo = async (who: HouseMember, at: number) =>
      await told([ada], async () => await scene.ask(who, 'DELETE', `/posts/${reposts[at]}`));
    expect(await undo(bob, 0)).toEqual([[]]);
    expect(await undo(cleo, 1)).toEqual([[deleted(group!), count(0)]]);
    expect(await undo(dan, 2)).toEqual([[]]);
    expect(await scene.house.ctx.db.selectFrom('notifications').selectAll().execute()).toEqual([]);
  });

  it('is told to both, where one blocks the other', async () => {
    await using setting = await openTold(engine);
    const { scene, people, told } = setting;
    const { ada, bob } = people;
    await scene.protect(ada);
    await scene.follow(bob, ada);
    await scene.post(ada, 'Tea for @bob');
    await scene.post(bob, 'Tea for @ada');
    const [his, hers] = [await setting.ids(bob, 'mention'), await setting.ids(ada, 'mention')];
    const [toBob, toAda] = await told([bob, ada], async () => await scene.ask(bob, 'POST', '/users/ada/block', {}));
    expect(toBob).toContainEqual(deleted(his[0]!));
    expect(toAda).toContainEqual(deleted(hers[0]!));
    expect([toBob!.at(-1), toAda!.at(-1)]).toEqual([count(0), count(0)]);
  });

  it('is told where a member leaves, and where an encrypted hub is deleted', async () => {
    await using setting = await openTold(engine);
    const { scene, people, told } = setting;
    const { ada, bob, cleo, dan } = people;
    const hub = await setting.hub([ada, bob, cleo], { trustTier: 'encrypted' });
    await scene.post(bob, 'Tea for @cleo', { hubIds: [hub] });
    const [first] = await setting.ids(cleo, 'mention');
    const [ofHub] = await told([cleo], async () => await scene.ask(ada, 'DELETE', `/hubs/${hub}`, {}));
    expect(ofHub).toContainEqual(deleted(first!));
    await scene.post(dan, 'Tea for @cleo');
    const [second] = await setting.ids(cleo, 'mention');
    const [ofDan] = await told(
      [cleo],
      async () => await scene.ask(dan, 'DELETE', '/users/dan', { password: dan.password }),
    );
    expect(ofDan).toEqual([deleted(second!), count(0)]);
  });

  it('is not told of hidden ones that give way to new ones, or that their reader marks or empties with all', async () => {
    await using setting = await openTold(engine);
    const { scene, house, people, told } = setting;
    const { ada, bob } = people;
    await scene.post(ada, 'Tea for @bob');
    const [hidden] = await setting.ids(bob, 'mention');
    await scene.protect(ada);
    await setting.settle();
    const all = async (method: 'POST' | 'DELETE', path: string) =>
      await told([bob], async () => await ask(house, bob, method, path));
    expect(await all('POST', '/read-all')).toEqual([[]]);
    const { db } = house.ctx;
    const row = await db.selectFrom('notifications').selectAll().where('id', '=', hidden!).executeTakeFirstOrThrow();
    const others = Array.from({ length: 999 }, (_, at) => ({
      ...row,
      id: `f${at}`,
      group_key: `f${at}`,
      type: 'quorum_decision' as const,
      is_read: 0,
      target_id: null,
    }));
    for (let from = 0; from < others.length; from += 500)
      await insertRows(db, 'notifications', others.slice(from, from + 500));
    const about = { recipientId: bob.memberId, type: 'quorum_decision', content: 'A decision.' } as const;
    const [events] = await told([bob], async () => expect(await notified(house, about)).toBe(true));
    expect(events!.map(([type]) => type)).toEqual(['notification:new', 'notification:count']);
    expect(await db.selectFrom('notifications').select('id').where('id', '=', hidden!).execute()).toEqual([]);
    await all('DELETE', '');
    await insertRows(db, 'notifications', [row]);
    expect(await all('DELETE', '')).toEqual([[]]);
    expect(await db.selectFrom('notifications').selectAll().execute()).toEqual([]);
  });
});
