import { afterEach, describe, expect, it, vi } from 'vitest';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { ownStatements, type OwnWork } from '../../support/own-statements.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial, type SocialScene } from './scene.ts';

type Work = Omit<OwnWork<unknown>, 'result'>;

afterEach(() => void vi.restoreAllMocks());

/** A post asks for a merge of the index now and then, by chance. Not here: each post would have other statements. */
const withoutMerges = () => vi.spyOn(Math, 'random').mockReturnValue(0.999);

/** Members of a hub who are in the store alone. */
async function fill({ house }: SocialScene, hub: string, count: number): Promise<void> {
  const { db } = house.ctx;
  const member = await db.selectFrom('members').selectAll().where('username', '=', 'ada').executeTakeFirstOrThrow();
  const profile = await db.selectFrom('social_profiles').selectAll().limit(1).executeTakeFirstOrThrow();
  await house.ctx.store.transaction(async (tx) => {
    for (let from = 0; from < count; from += 100) {
      const ids = Array.from(
        { length: Math.min(100, count - from) },
        (_, at) => `${hub.slice(0, 16)}${(from + at).toString(16).padStart(8, '0')}`,
      );
      const own = ['username', 'username_key', 'email', 'email_key', 'public_key', 'mnemonic_tag'];
      const named = (id: string) => Object.fromEntries(own.map((column) => [column, id]));
      await insertRows(
        tx,
        'members',
        ids.map((id) => ({ ...member, ...named(id), id })),
      );
      await insertRows(
        tx,
        'social_profiles',
        ids.map((id) => ({ ...profile, member_id: id })),
      );
      const place = { kind: 'hub', room_id: hub, role: 'member' as const, joined_at: 1, heard_from: 0 };
      await insertRows(
        tx,
        'room_members',
        ids.map((id) => Object.assign({ member_id: id }, place)),
      );
    }
    await tx
      .updateTable('rooms')
      .set({ member_count: count + 2 })
      .where('id', '=', hub)
      .execute();
  });
}

describe.each(engines)('the work of a post on %s', (engine) => {
  it('is the same for a hub of five members and of five thousand', { tags: 'soak' }, async () => {
    withoutMerges();
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [ada, bob] = [await house.register({ username: 'ada' }), await house.register({ username: 'bob' })];
    // A digest is planned once.
    await scene.post(bob, 'Warm', { parentPostId: await scene.post(ada, 'Warm') });
    const works: Work[] = [];
    for (const members of [5, 5_000]) {
      house.clock.advance(1);
      const { _id: hub } = await scene.ask(ada, 'POST', '/hubs', { name: 'Tea' });
      await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
      await fill(scene, hub, members - 2);
      expect((await scene.ask(ada, 'GET', `/hubs/${hub}`)).hub.memberCount).toBe(members);
      const place = { hubIds: [hub] };
      // What a process or a hub does once is behind them.
      await scene.post(ada, 'Warm', place);
      const first = await ownStatements(async () => await scene.post(ada, 'Tea is ready. #tea', place));
      const [post] = (await scene.ask(bob, 'GET', `/hubs/${hub}/posts?sort=new&limit=1`)).posts;
      const second = await ownStatements(async () => await scene.post(bob, 'I come.', { parentPostId: post['_id'] }));
      works.push({ statements: [...first.statements, ...second.statements], rows: first.rows + second.rows });
      await runDueJobs(scene, 'notifications');
    }
    const [small, large] = works as [Work, Work];
    expect(small.statements.length).toBeGreaterThan(10);
    expect(large.statements).toEqual(small.statements);
    // The words of the posts are in the index since the first time.
    expect(large.rows).toBeLessThanOrEqual(small.rows);
  });

  it('grows with nobody whom it mentions but by their names', async () => {
    withoutMerges();
    await using scene = await openSocial(engine);
    const { house } = scene;
    const ada = await house.register({ username: 'ada' });
    const names = Array.from({ length: 50 }, (_, at) => `f${String(at).padStart(2, '0')}`);
    const content = names.map((name) => `@${name}`).join(' ');
    await house.register({ username: names[0]! });
    await scene.post(ada, content);
    const one = await ownStatements(async () => await scene.post(ada, content));
    for (const username of names.slice(1)) await house.register({ username });
    const fifty = await ownStatements(async () => await scene.post(ada, content));
    expect(fifty.statements.length).toBe(one.statements.length);
    // Each name is found, and nothing is written for it.
    expect(fifty.rows - one.rows).toBeLessThanOrEqual(2 * 49);
    const written = (work: Work) => work.statements.filter((text) => /^\s*(?:insert|update|delete)/i.test(text)).length;
    expect(written(fifty)).toBe(written(one));
    expect(await house.ctx.db.selectFrom('notifications').select('id').execute()).toEqual([]);
    await runDueJobs(scene, 'notifications');
    expect(await house.ctx.db.selectFrom('notifications').select('id').execute()).toHaveLength(52);
  });
});
