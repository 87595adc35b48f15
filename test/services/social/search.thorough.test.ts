import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { searchMergeHandler } from '../../../src/platform/store/search/merge.ts';
import { findSpace } from '../../../src/platform/store/search/documents.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

async function page(scene: SocialScene, who: HouseMember, q: string, more = '') {
  return await scene.ask(who, 'GET', `/search?q=${encodeURIComponent(q)}${more}`);
}

/** The ids of all pages. */
async function found(scene: SocialScene, who: HouseMember, q: string, limit = 50): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const answer = await page(scene, who, q, `&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    expect(answer.posts.length).toBeLessThanOrEqual(limit);
    ids.push(...answer.posts.map((post: { _id: string }) => post['_id']));
    if (!answer.hasMore) return ids;
    expect(pages).toBeLessThan(200);
    cursor = answer.cursor;
  }
}

async function merge({ house: { ctx } }: SocialScene): Promise<void> {
  const space = await findSpace(ctx.db, 'social.posts');
  await searchMergeHandler(ctx.store)(space, { signal: new AbortController().signal } as never);
}

describe.each(bothEngines)('check 20, a search of posts on %s', (engine) => {
  it('finds words of any script, the newest first, with and without postings', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const one = await scene.post(ada, 'Die Straße nach Łódź');
    const two = await scene.post(ada, 'STRASSE und Tee');
    const three = await scene.post(ada, '東京都庁に行く');
    const four = await scene.post(ada, 'ภาษาไทยสวยงาม');
    const five = await scene.post(ada, 'Привет, мир! שלום');
    for (const step of ['waiting', 'merged']) {
      if (step === 'merged') await merge(scene);
      expect(await found(scene, ada, 'strasse')).toEqual([two, one]);
      expect(await found(scene, ada, 'STRASSE lodz')).toEqual([one]);
      expect(await found(scene, ada, 'stras')).toEqual([]);
      expect(await found(scene, ada, 'stras*')).toEqual([two, one]);
      expect(await found(scene, ada, '東京')).toEqual([three]);
      expect(await found(scene, ada, '都庁')).toEqual([three]);
      expect(await found(scene, ada, '京都市')).toEqual([]);
      expect(await found(scene, ada, 'ไทย')).toEqual([four]);
      expect(await found(scene, ada, 'привет')).toEqual([five]);
      expect(await found(scene, ada, 'שלום')).toEqual([five]);
    }
  });

  it('narrows by hashtag, author, kind and time', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const one = await scene.post(ada, 'Tea in the #Garden');
    scene.house.clock.advance(86_400_000);
    const two = await scene.post(bob, 'garden of https://example.org');
    const three = await scene.post(bob, 'tea #garden #東京');
    expect(await found(scene, ada, 'garden')).toEqual([three, two, one]);
    expect(await found(scene, ada, '#garden')).toEqual([three, one]);
    expect(await found(scene, ada, '＃GARDEN tea')).toEqual([three, one]);
    expect(await found(scene, ada, '#東京')).toEqual([three]);
    expect(await found(scene, ada, 'from:BOB')).toEqual([three, two]);
    expect(await found(scene, ada, `from:${bob.memberId} garden`)).toEqual([three, two]);
    expect(await found(scene, ada, 'from:me garden')).toEqual([one]);
    expect(await found(scene, ada, 'from:me from:bob')).toEqual([]);
    expect(await found(scene, ada, 'garden has:link')).toEqual([two]);
    expect(await found(scene, ada, 'has:image')).toEqual([]);
    expect(await found(scene, ada, 'before:2026-01-16')).toEqual([one]);
    expect(await found(scene, ada, '#garden before:2026-01-16T12:00:00.000Z', 1)).toEqual([one]);
    expect(await found(scene, ada, 'before:2026-01-16 from:bob')).toEqual([]);
    // Conditions are no words of posts, and words are no conditions.
    expect(await found(scene, ada, 'bob')).toEqual([]);
    expect(await found(scene, ada, '"from bob"')).toEqual([]);
    // An address would say whose it is.
    expect(await found(scene, ada, `from:${bob.email}`)).toEqual([]);
    expect(await found(scene, ada, 'from:nobody')).toEqual([]);
    expect(await found(scene, ada, 'hub:nothing')).toEqual([]);
  });

  it('follows edits and deletions, in the transaction that makes them', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    for (const merged of [false, true]) {
      const id = await scene.post(ada, 'secret #plan');
      const kept = await scene.post(ada, 'kept secret');
      if (merged) await merge(scene);
      const spoiled = scene.house.spoil();
      expect((await scene.call(ada, 'PUT', `/posts/${id}`, { content: 'never' })).status).toBe(500);
      expect(spoiled()).toBe(true);
      expect(await found(scene, ada, 'never')).toEqual([]);
      await scene.ask(ada, 'PUT', `/posts/${id}`, { content: 'open #source' });
      expect(await found(scene, ada, 'secret')).toEqual([kept]);
      expect(await found(scene, ada, '#plan')).toEqual([]);
      expect(await found(scene, ada, 'open #source')).toEqual([id]);
      await scene.call(ada, 'DELETE', `/posts/${id}`);
      await scene.call(ada, 'DELETE', `/posts/${kept}`);
      expect(await found(scene, ada, 'open')).toEqual([]);
      const { rows } = await sql<{ n: number }>`select cast(count(*) as bigint) as n from search_documents`.execute(
        scene.house.ctx.db,
      );
      expect(rows[0]?.n).toBe(0);
    }
  });

  it('shows what the filter shows, and goes on behind what it hides', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const eve = await scene.house.register({ username: 'eve' });
    const dan = await scene.house.register({ username: 'dan' });
    const open: string[] = [];
    open.push(await scene.post(ada, 'tea'));
    await scene.protect(eve);
    for (let index = 0; index < 30; index += 1) await scene.post(eve, 'tea of followers');
    open.push(await scene.post(dan, 'tea'));
    const more = engine === 'sqljs' ? 170 : inStage(30, 30, 170);
    for (let index = 0; index < more; index += 1) await scene.post(eve, 'tea of followers');
    const newest = open.toReversed();
    for (const limit of [1, 2, 50]) expect(await found(scene, bob, 'tea', limit)).toEqual(newest);
    expect(await found(scene, bob, 'from:eve')).toEqual([]);
    // Nor does it tell of posts that were written for others, by pages which are empty and say that there is more.
    for (const step of ['waiting', 'merged']) {
      if (step === 'merged') await merge(scene);
      for (const q of ['followers', 'tea followers', 'follow*', 'tea before:2027-01-01 followers'])
        expect(await page(scene, bob, q, '&limit=1')).toMatchObject({ posts: [], hasMore: false });
    }
    await scene.follow(dan, eve);
    expect(await found(scene, dan, 'tea')).toHaveLength(32 + more);
    expect(await found(scene, dan, 'from:eve')).toHaveLength(30 + more);
    await scene.ask(bob, 'POST', `/users/${dan.memberId}/block`, {});
    expect(await found(scene, bob, 'tea')).toEqual([open[0]]);
    expect(await found(scene, dan, 'from:bob')).toEqual([]);
    await scene.ask(bob, 'POST', `/users/${ada.memberId}/mute`, { duration: '1h' });
    expect(await found(scene, bob, 'tea')).toEqual([]);
    expect(await found(scene, bob, 'from:ada tea')).toEqual([open[0]]);
    // A quote shows what it quotes.
    const cyd = await scene.house.register({ username: 'cyd' });
    const { _id: quoted } = await scene.ask(cyd, 'POST', `/posts/${open[0]}/quote`, { commentary: 'tea, too' });
    expect(await found(scene, cyd, 'tea too')).toEqual([quoted]);
    expect(await found(scene, bob, 'tea too')).toEqual([]);
    expect(await found(scene, bob, 'from:cyd tea too')).toEqual([quoted]);
  });

  it('answers hostile queries with nothing, or with what is wrong', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const tea = await scene.post(ada, 'tea 100% _x_ "quoted"');
    const queries = [
      '"',
      '""',
      '*',
      '**',
      'NEAR(',
      'NEAR(tea',
      '-',
      '-tea',
      '%',
      '_',
      "'; drop table members; --",
      '🎉',
      '#',
      '#🎉',
    ];
    for (const q of [
      ...queries,
      ...queries.map((one) => `tea ${one}`),
      '#'.repeat(500),
      '*'.repeat(500),
      '東'.repeat(500),
    ]) {
      const { status } = await scene.call(ada, 'GET', `/search?q=${encodeURIComponent(q)}`);
      expect([q, status]).toEqual([q, 200]);
    }
    expect(await found(scene, ada, '-tea "QUOTED')).toEqual([tea]);
    for (const q of ['%', '🎉', '***', 'te_']) expect(await found(scene, ada, q)).toEqual([]);
    const refused = [
      '',
      '   ',
      'a\0b',
      'x'.repeat(10_240),
      'a b c d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5 6 7 8 9',
    ];
    for (const q of refused)
      expect(said(await scene.call(ada, 'GET', `/search?q=${encodeURIComponent(q)}`))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call(ada, 'GET', '/search'))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call(ada, 'GET', '/search?q=%ff%fe'))).toMatch(/^(?:200|400) /);
  });

  it('takes no cursor that was not made for it, and nobody else as the caller', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    for (let index = 0; index < 3; index += 1) await scene.post(ada, 'tea #tea');
    const { cursor } = await page(scene, ada, 'tea', '&limit=1');
    const refused = [
      [ada, 'tea', `&cursor=${cursor}x`],
      [ada, 'tea', `&cursor=${cursor.slice(0, -4)}`],
      [ada, '#tea', `&cursor=${cursor}`],
      [ada, 'tea*', `&cursor=${cursor}`],
      [ada, 'tea from:ada', `&cursor=${cursor}`],
      [ada, 'tea before:2030-01-01', `&cursor=${cursor}`],
      [bob, 'tea', `&cursor=${cursor}`],
    ] as const;
    for (const [who, q, more] of refused)
      expect(said(await scene.call(who, 'GET', `/search?q=${encodeURIComponent(q)}${more}`))).toBe(
        '400 INVALID_CURSOR',
      );
    for (const limit of ['0', '-1', '51', '1e9', 'x'])
      expect(said(await scene.call(ada, 'GET', `/search?q=tea&limit=${limit}`))).toBe('400 VALIDATION_ERROR');
    expect((await page(scene, ada, 'tea', `&userId=${ada.memberId}`)).posts).toHaveLength(3);
    expect(said(await scene.call(ada, 'GET', `/search?q=tea&userId=${bob.memberId}`))).toBe('403 FORBIDDEN');
    expect(said(await scene.call({ ...ada, token: '' }, 'GET', '/search?q=tea'))).toMatch(/^401 /);
  });
});

describe.each(bothEngines)('check 20, a search in hubs on %s', (engine) => {
  it('finds posts for members of the hub, by its slug or id, and nothing of encrypted hubs for anybody', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const hub = await scene.ask(ada, 'POST', '/hubs', { name: 'Garden' });
    const other = await scene.ask(ada, 'POST', '/hubs', { name: 'Other' });
    const secret = await scene.ask(ada, 'POST', '/hubs', { name: 'Secret', trustTier: 'encrypted' });
    const open = await scene.post(ada, 'tea in #hubs', { hubIds: [hub['_id'], other['_id']] });
    const both = { content: 'tea', hubIds: [hub['_id'], secret['_id']] };
    expect(said(await scene.call(ada, 'POST', '/posts', both))).toBe('400 VALIDATION_ERROR');
    await scene.post(ada, 'tea', { hubIds: [secret['_id']] });
    expect(await found(scene, ada, 'tea')).toEqual([open]);
    for (const name of ['garden', 'Garden', hub['_id']]) expect(await found(scene, ada, `hub:${name}`)).toEqual([open]);
    for (const name of ['secret', secret['_id']]) expect(await found(scene, ada, `hub:${name}`)).toEqual([]);
    const { rows } = await sql<{ id: string }>`select id from search_documents`.execute(scene.house.ctx.db);
    expect(rows.map(({ id }) => id)).toEqual([open]);

    for (const q of ['tea', '#hubs', 'hub:garden', 'from:ada']) expect(await found(scene, bob, q)).toEqual([]);
    await scene.ask(bob, 'POST', `/hubs/${hub['_id']}/join`, {});
    for (const q of ['tea', '#hubs', 'hub:garden', 'from:ada']) expect(await found(scene, bob, q)).toEqual([open]);
    // The post is in this hub too, and bob need not know.
    expect(await found(scene, bob, 'hub:other')).toEqual([]);
    expect(await found(scene, ada, 'hub:other hub:garden')).toEqual([open]);
    await scene.ask(ada, 'POST', `/hubs/${hub['_id']}/remove-post`, { postId: open });
    expect(await found(scene, ada, 'hub:garden')).toEqual([]);
    expect(await found(scene, ada, 'hub:other')).toEqual([open]);
    expect(await found(scene, bob, 'tea')).toEqual([]);
    await scene.ask(bob, 'POST', `/hubs/${hub['_id']}/leave`, {});
    expect(await found(scene, bob, 'tea')).toEqual([]);
  });
});
