import { describe, expect, it } from 'vitest';
import type { SocialPostRow } from '../../../src/platform/store/tables/social.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { postRow, storePosts } from './filled.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import { idsOf, walk, withQuery } from './walk.ts';

const sorts = ['new', 'hot', 'top'] as const;
const feeds = ['/timeline/home', '/timeline/public', '/users/ada/feed', '/hashtag/tea'] as const;
const all = feeds.flatMap((path) => sorts.map((sort) => [path, sort] as const));
// Before the last stage every feed in one order, and PostgreSQL has the newest first.
const few = all.filter((_, at) => at % 4 === 0 || at === 10);
const orders = inStage(few, few, all);

const hour = 3_600_000;
/** How old posts may be in a window of top. */
const windows = { day: 24 * hour, week: 168 * hour, all: Infinity } as const;
type Coming = readonly [path: string, sort: string, topWindow: keyof typeof windows];
const inHub = '/hubs/leaves/posts';
const inList = '/timeline/home?listId=LIST';
const comings: readonly Coming[] = [
  ...orders.map(([path, sort]): Coming => [path, sort, 'all']),
  ...[...sorts, 'controversial']
    .filter((_, at) => at % inStage(3, 3, 1) === 0)
    .map((sort): Coming => [inHub, sort, 'all']),
  ...inStage<readonly (typeof sorts)[number][]>(['new'], ['new'], sorts).map((sort): Coming => [inList, sort, 'all']),
  ...inStage([inHub], ['/timeline/public', inHub], [...feeds, inHub, inList]).flatMap((path) =>
    inStage<readonly ('day' | 'week')[]>(['day'], ['day'], ['day', 'week']).map((topWindow): Coming => [
      path,
      'top',
      topWindow,
    ]),
  ),
];

async function cast(scene: SocialScene): Promise<Record<'ada' | 'bob' | 'zed', HouseMember>> {
  const [ada, bob, zed] = [
    await scene.house.register({ username: 'ada' }),
    await scene.house.register({ username: 'bob' }),
    await scene.house.register({ username: 'zed' }),
  ];
  return { ada, bob, zed };
}

describe.each(bothEngines)('check 19, a feed on %s', (engine) => {
  const here = engine === 'sqljs' ? comings : comings.filter(([, sort]) => inStage(false, sort === 'new', true));
  it.each(here)('%s, %s first of %s, has each post once as posts come and go', async (place, sort, topWindow) => {
    await using scene = await openSocial(engine);
    const { ada, bob, zed } = await cast(scene);
    const random = testRandom();
    const below = (most: number) => Math.floor(random() * most);
    await scene.follow(bob, ada);
    await scene.follow(bob, zed);
    const list = (await scene.ask(bob, 'POST', '/lists', { name: 'Tea' })).list['_id'] as string;
    await scene.ask(bob, 'POST', `/lists/${list}/members`, { userIds: [ada.memberId, zed.memberId] });
    const path = place.replace('LIST', list);
    const hubIds: string[] = [];
    if (place === inHub) {
      hubIds.push((await scene.ask(ada, 'POST', '/hubs', { name: 'Leaves' }))['_id']);
      for (const who of [bob, zed]) await scene.ask(who, 'POST', `/hubs/${hubIds[0]}/join`, {});
    }
    // Written before anybody here signed in: a window of top ends between these and the others.
    const long = [30, 200, 300].map((hours) =>
      postRow({
        author_id: ada.memberId,
        created_at: scene.house.clock.now() - hours * hour,
        engagement: 2,
        audience: place === inHub ? 'hub' : 'public',
      }),
    );
    await storePosts(scene.house, long, 'tea', hubIds[0]);
    const live = new Map(long.map((row) => [row.id, row.created_at]));
    const write = async () => {
      scene.house.clock.advance(below(3) * 1_800_000);
      const id = await scene.post(ada, '#tea', { hubIds });
      live.set(id, scene.house.clock.now());
      return id;
    };
    for (let at = 0; at < inStage(12, 12, 25); at += 1) {
      const id = await write();
      for (const who of [bob, zed]) {
        if (random() < 0.4) await scene.ask(who, 'POST', `/posts/${id}/like`);
        if (sort === 'controversial')
          await scene.ask(who, 'POST', `/posts/${id}/${random() < 0.5 ? 'up' : 'down'}vote`);
      }
      // Of others, and hidden from the reader.
      if (random() < 0.3) await scene.post(zed, '#tea', { hubIds });
    }
    await scene.ask(zed, 'POST', '/users/bob/block');
    const now = scene.house.clock.now();
    const atFirst = new Set(
      [...live].filter(([, writtenAt]) => now - writtenAt <= windows[topWindow]).map(([id]) => id),
    );
    expect(atFirst.size < live.size).toBe(topWindow !== 'all');
    const came = new Set<string>();
    const between = async (found: readonly string[]) => {
      scene.house.clock.advance(below(2) * 3_600_000);
      if (random() < 0.5) came.add(await write());
      const rest = [...live.keys()].filter((id) => random() < 0.5 || !found.includes(id));
      const gone = rest[below(rest.length)];
      if (random() < 0.4 && gone !== undefined) {
        await scene.ask(ada, 'DELETE', `/posts/${gone}`);
        live.delete(gone);
      }
    };
    const found = await idsOf(scene, bob, withQuery(path, { sort, topWindow }), {
      limit: () => 1 + below(6),
      between,
    });
    expect(found.length, 'no item twice').toBe(new Set(found).size);
    const missing = [...atFirst].filter((id) => live.has(id) && !found.includes(id));
    const others = found.filter((id) => !atFirst.has(id) && !came.has(id));
    expect({ missing, others }).toEqual({ missing: [], others: [] });
  });

  // The feed of somebody who blocks its reader has no pages at all.
  const hiding = orders.filter(([path]) => path !== '/users/ada/feed');
  it.each(engine === 'sqljs' ? hiding : hiding.slice(0, inStage(1, 1, hiding.length)))(
    '%s, %s first, proceeds over pages of hidden posts',
    async (path, sort) => {
      await using scene = await openSocial(engine);
      const { ada, bob, zed } = await cast(scene);
      await scene.follow(bob, ada);
      await scene.follow(bob, zed);
      const old = [await scene.post(ada, '#tea'), await scene.post(ada, '#tea')];
      // A like puts them before the others in every order.
      const rows = Array.from({ length: 30 }, (_, at) =>
        postRow({ author_id: zed.memberId, created_at: scene.house.clock.now() + at, engagement: 1 }),
      );
      await storePosts(scene.house, rows, 'tea');
      scene.house.clock.advance(30);
      // The row alone: the request would end the follow too.
      await scene.house.ctx.db
        .insertInto('member_blocks')
        .values({ member_id: zed.memberId, blocked_id: bob.memberId, created_at: 0 })
        .execute();
      const first = await scene.ask(bob, 'GET', withQuery(path, { sort, topWindow: 'all', limit: 2 }));
      expect(first).toMatchObject({ posts: [], hasMore: true });
      const found = await idsOf(scene, bob, withQuery(path, { sort, topWindow: 'all' }), { limit: 2 });
      expect(found).toEqual(old.toReversed());
    },
  );

  it('has what it says: own and followed posts at home, no replies and reposts in public, the window of top', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, zed } = await cast(scene);
    await scene.follow(bob, ada);
    const old = await scene.post(ada, 'Old #tea');
    scene.house.clock.advance(24 * 3_600_000);
    const original = await scene.post(ada, 'Ada #tea');
    const stranger = await scene.post(zed, 'Zed #tea');
    const reply = await scene.post(ada, 'Reply #tea', { parentPostId: stranger });
    scene.house.clock.advance(1);
    const repost = (await scene.ask(ada, 'POST', `/posts/${stranger}/repost`))['_id'] as string;
    scene.house.clock.advance(1);
    const quote = (await scene.ask(ada, 'POST', `/posts/${stranger}/quote`, { commentary: 'Quote' }))['_id'] as string;
    const own = await scene.post(bob, 'Own');
    for (const sort of sorts) {
      const sorted = async (path: string) =>
        (await idsOf(scene, bob, withQuery(path, { sort, topWindow: 'all' }), { limit: 2 })).toSorted();
      expect(await sorted('/timeline/home')).toEqual([old, original, reply, repost, quote, own]);
      expect(await sorted('/timeline/public')).toEqual([old, original, stranger, quote, own]);
      expect(await sorted('/users/ada/feed')).toEqual([old, original, reply, repost, quote]);
      expect(await sorted('/hashtag/tea')).toEqual([old, original, stranger, reply]);
    }
    for (const path of feeds) {
      const top = async (topWindow: string) => await idsOf(scene, bob, withQuery(path, { sort: 'top', topWindow }));
      expect([path, (await top('day')).includes(old)]).toEqual([path, false]);
      expect([path, (await top('week')).includes(old)]).toEqual([path, true]);
    }
    // Who is no longer followed, or muted, is no longer there.
    await scene.ask(bob, 'POST', '/users/zed/mute', {});
    expect((await idsOf(scene, bob, '/timeline/home')).toSorted()).toEqual([old, original, reply, own]);
    expect((await idsOf(scene, bob, '/timeline/home?excludeMuted=false')).toSorted()).toEqual([
      old,
      original,
      reply,
      repost,
      quote,
      own,
    ]);
    await scene.ask(bob, 'POST', '/users/ada/mute', {});
    expect(await idsOf(scene, bob, '/timeline/home')).toEqual([own]);
    expect(await idsOf(scene, bob, '/timeline/public')).toEqual([own]);
    expect(await idsOf(scene, bob, '/hashtag/tea')).toEqual([]);
    expect(await idsOf(scene, bob, '/users/ada/feed')).toHaveLength(5);
    await scene.ask(bob, 'DELETE', '/users/ada/follow');
    expect(await idsOf(scene, bob, '/timeline/home?excludeMuted=false')).toEqual([own]);
  });
});

describe.each(engines)('check 19, what a feed says and takes on %s', (engine) => {
  it('and a thread and a list say nothing of posts that are for others', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, zed } = await cast(scene);
    await scene.follow(bob, ada);
    const list = (await scene.ask(bob, 'POST', '/lists', { name: 'Tea' })).list;
    await scene.ask(bob, 'POST', `/lists/${list['_id']}/members`, { userIds: [ada.memberId] });
    const root = await scene.post(ada, '#tea');
    await scene.post(ada, '#tea', { parentPostId: root });
    const places = [...feeds, `/timeline/home?listId=${list['_id']}`];
    const answers = async () => {
      const found: unknown[] = [];
      for (const place of places)
        for (const sort of sorts) {
          const { posts, hasMore } = await scene.ask(
            bob,
            'GET',
            withQuery(place, { sort, topWindow: 'all', limit: 2 }),
          );
          found.push([place, sort, posts, hasMore]);
        }
      const { replies, hasMore } = await scene.ask(bob, 'GET', `/posts/${root}/thread?limit=1`);
      return [...found, replies, hasMore];
    };
    const before = await answers();
    const created_at = scene.house.clock.now();
    const of = (author: HouseMember, more: Partial<SocialPostRow>) =>
      Array.from({ length: 20 }, (_, at) =>
        postRow({ author_id: author.memberId, created_at: created_at + at, engagement: 3, ...more }),
      );
    await storePosts(scene.house, [...of(ada, { audience: 'hub' }), ...of(zed, { audience: 'followers' })], 'tea');
    const below = { kind: 'reply', parent_id: root, root_id: root, depth: 1, audience: 'followers' } as const;
    await storePosts(scene.house, of(zed, below), 'tea');
    expect(await answers()).toEqual(before);
  });

  it('says nothing of reposts of posts that are for others', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, zed } = await cast(scene);
    const { house } = scene;
    const eve = await house.register({ username: 'eve' });
    await scene.follow(bob, ada);
    const list = (await scene.ask(bob, 'POST', '/lists', { name: 'Tea' })).list;
    await scene.ask(bob, 'POST', `/lists/${list['_id']}/members`, { userIds: [ada.memberId] });
    const shown = await scene.post(eve, 'For all');
    await scene.ask(ada, 'POST', `/posts/${shown}/repost`);
    await scene.post(ada, 'Last');
    const places = ['/timeline/home', '/users/ada/feed', `/timeline/home?listId=${list['_id']}`];
    const answers = async () => {
      const found: unknown[] = [];
      for (const place of places)
        for (const sort of sorts)
          for (const limit of [1, 2]) {
            const path = withQuery(place, { sort, topWindow: 'all', limit });
            const { posts, hasMore } = await scene.ask(bob, 'GET', path);
            found.push([path, posts, hasMore]);
          }
      return found;
    };
    const before = await answers();
    house.clock.advance(1);
    const created_at = house.clock.now();
    const some = (author: HouseMember, more: Partial<SocialPostRow>) =>
      Array.from({ length: 15 }, () => postRow({ author_id: author.memberId, created_at, ...more }));
    // Of a member who is protected by now, for followers, and in a hub.
    const subjects = [...some(zed, {}), ...some(eve, { audience: 'followers' }), ...some(eve, { audience: 'hub' })];
    await storePosts(house, subjects);
    const reposts = subjects.map(({ id }) =>
      postRow({ author_id: ada.memberId, created_at, engagement: 3, kind: 'repost', subject_id: id }),
    );
    await storePosts(house, reposts);
    await scene.protect(zed);
    expect(await answers()).toEqual(before);
    // Whoever is among the readers of the post sees its repost too.
    await scene.follow(bob, zed);
    const ofZed = reposts.slice(0, 15).map(({ id }) => id);
    expect(await idsOf(scene, bob, '/users/ada/feed')).toEqual(expect.arrayContaining(ofZed));
    expect(await idsOf(scene, bob, places[2]!)).toEqual(expect.arrayContaining(ofZed));
  });

  it('takes only its own cursors', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, zed } = await cast(scene);
    await scene.follow(bob, ada);
    for (let at = 0; at < 3; at += 1) await scene.post(ada, '#tea #coffee');
    for (let at = 0; at < 3; at += 1) await scene.post(bob, '#tea #coffee');
    const paths = [
      ...orders.filter(([, sort]) => sort !== 'top').map(([path, sort]) => withQuery(path, { sort })),
      ...feeds.flatMap((path) => ['day', 'all'].map((topWindow) => withQuery(path, { sort: 'top', topWindow }))),
      withQuery('/users/bob/feed', { sort: 'new' }),
      withQuery('/hashtag/coffee', { sort: 'new' }),
      withQuery('/hashtag/coffee', { sort: 'hot' }),
      withQuery('/timeline/home', { sort: 'new', excludeMuted: 'false' }),
    ];
    const cursors: string[] = [];
    for (const path of paths) cursors.push((await scene.ask(bob, 'GET', withQuery(path, { limit: 1 }))).cursor);
    const code = async (path: string, cursor: string, who = bob) =>
      said(await scene.call(who, 'GET', withQuery(path, { limit: 1, cursor })));
    for (const [at, path] of paths.entries()) {
      const own = cursors[at]!;
      expect([path, await code(path, own)]).toEqual([path, '200 success']);
      for (const [of, cursor] of cursors.entries())
        if (of !== at)
          expect([path, paths[of], await code(path, cursor)]).toEqual([path, paths[of], '400 INVALID_CURSOR']);
      const middle = own.length >> 1;
      const other = own[middle] === 'A' ? 'B' : 'A';
      const broken = [
        own.slice(0, -1),
        own.slice(1),
        `${own}A`,
        own.slice(0, middle) + other + own.slice(middle + 1),
        'x',
        '!',
      ];
      for (const cursor of broken)
        expect([path, cursor, await code(path, cursor)]).toEqual([path, cursor, '400 INVALID_CURSOR']);
      expect([path, await code(path, own, zed)]).toEqual([path, '400 INVALID_CURSOR']);
    }
    // Names of one member and spellings of one tag are one list.
    const [feed] = [await scene.ask(bob, 'GET', '/users/ada/feed?limit=1')];
    expect(await code(`/users/${ada.memberId}/feed`, feed.cursor)).toBe('200 success');
    const tagged = await scene.ask(bob, 'GET', '/hashtag/TEA?limit=1');
    expect(await code('/hashtag/%23tea', tagged.cursor)).toBe('200 success');
  });

  it('refuses wrong numbers, orders and windows', async () => {
    await using scene = await openSocial(engine);
    const { bob } = await cast(scene);
    const wrong = [
      ...['0', '-1', '51', '1e9', '1000000000', 'NaN', '1.5', '', ' ', '0x10', '２'].map((limit) => ({ limit })),
      { sort: 'best' },
      { sort: 'controversial' },
      { sort: 'top', topWindow: 'year' },
      { cursor: 'x'.repeat(5000) },
    ];
    for (const path of feeds)
      for (const query of wrong) {
        const answer = await scene.call(bob, 'GET', withQuery(path, query));
        expect([path, query, said(answer)]).toEqual([path, query, '400 VALIDATION_ERROR']);
      }
    for (const path of feeds)
      expect(said(await scene.call(bob, 'GET', withQuery(path, { limit: 50 })))).toBe('200 success');
    expect(said(await scene.call(bob, 'GET', '/hashtag/%00'))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call(bob, 'GET', `/hashtag/${'x'.repeat(102)}`))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call(bob, 'GET', '/timeline/home?excludeMuted=1'))).toBe('400 VALIDATION_ERROR');
    expect(said(await scene.call(bob, 'GET', '/users/nobody/feed'))).toBe('404 MEMBER_NOT_FOUND');
  });

  it('of one moment goes on where it was, and is another one from the first page on', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) ids.push(await scene.post(ada, '#tea'));
    // The last post of the window at the first page.
    scene.house.clock.advance(24 * 3_600_000 - 5);
    const query = withQuery('/timeline/public', { sort: 'top', topWindow: 'day' });
    const between = async () => scene.house.clock.advance(3_600_000);
    expect(await idsOf(scene, bob, query, { limit: 2, between })).toEqual(ids.toReversed());
    expect(await idsOf(scene, bob, query)).toEqual([]);
  });
});

describe.each(bothEngines)('check 19, lists of people on %s', (engine) => {
  it('have everybody once, page by page, and proceed over hidden ones', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const others: HouseMember[] = [];
    for (let at = 0; at < 7; at += 1) others.push(await scene.house.register());
    for (const other of others) {
      await scene.follow(other, ada);
      await scene.follow(ada, other);
      await scene.ask(bob, 'POST', `/users/${other.memberId}/mute`, {});
    }
    const ids = others.map(({ memberId }) => memberId).toSorted();
    for (const path of ['/users/ada/followers', '/users/ada/following', '/mutes'])
      expect([path, await idsOf(scene, bob, path, { limit: 2 })]).toEqual([path, ids]);
    for (const other of others.slice(0, 5)) await scene.ask(other, 'POST', '/users/bob/block', {});
    const left = others
      .slice(5)
      .map(({ memberId }) => memberId)
      .toSorted();
    for (const path of ['/users/ada/followers', '/users/ada/following'])
      expect([path, await idsOf(scene, bob, path, { limit: 1 })]).toEqual([path, left]);
    await scene.protect(bob);
    for (const other of others.slice(5)) {
      scene.house.clock.advance(1);
      await scene.ask(other, 'POST', '/users/bob/follow', {});
    }
    expect(await walk(scene, bob, '/follow-requests', { limit: 1 })).toHaveLength(2);
    for (const path of [
      '/users/ada/followers',
      '/users/ada/following',
      '/mutes',
      '/blocks',
      '/follow-requests',
      '/posts/reports',
    ])
      for (const limit of ['0', '-1', '101', '1e9', 'NaN'])
        expect([path, limit, said(await scene.call(bob, 'GET', withQuery(path, { limit })))]).toEqual([
          path,
          limit,
          '400 VALIDATION_ERROR',
        ]);
  });
});
