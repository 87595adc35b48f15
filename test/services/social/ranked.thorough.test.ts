import type { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { amongQueries, readAmongAll, type Reach } from '../../../src/services/social/feeds/among-all.ts';
import { byScore } from '../../../src/services/social/feeds/ranked.ts';
import { readRanked, type Sizes } from '../../../src/services/social/feeds/ranked-feeds.ts';
import type { SocialPostRow } from '../../../src/platform/store/tables/social.ts';
import { testRandom } from '../../support/seeded.ts';
import { engines } from '../../support/stores.ts';
import { postRow, storePosts } from './filled.ts';
import { openSocial } from './scene.ts';
import { idsOf, withQuery } from './walk.ts';

const day = 86_400_000;
const windows = { day, week: 7 * day, month: 30 * day, all: Number.POSITIVE_INFINITY } as const;

describe.each(engines)('the ranking on %s', (engine) => {
  it('is that of all posts, by the documented formulas, in every feed, order and window', async () => {
    await using scene = await openSocial(engine);
    const random = testRandom();
    const below = (most: number) => Math.floor(random() * most);
    const { house } = scene;
    const [reader, open, friend, shy, foe] = [
      await house.register({ username: 'reader' }),
      await house.register({ username: 'open' }),
      await house.register({ username: 'friend' }),
      await house.register({ username: 'shy' }),
      await house.register({ username: 'foe' }),
    ];
    for (const other of [friend, shy]) await scene.protect(other);
    for (const other of [open, friend]) await scene.follow(reader, other);
    const { _id: hubId } = await scene.ask(open, 'POST', '/hubs', { name: 'Leaves' });
    for (const other of [reader, friend, shy, foe]) await scene.ask(other, 'POST', `/hubs/${hubId}/join`, {});
    await scene.ask(foe, 'POST', '/users/reader/block');
    const now = house.clock.now();
    const rows: SocialPostRow[] = [];
    for (let at = 0; at < 400; at += 1) {
      const inHub = at % 4 === 0;
      const author = [reader, open, friend, shy, foe][below(5)]!;
      // Several of one moment, many of the last hours, and few that many liked.
      const age = random() < 0.1 ? 3_600_000 : random() < 0.5 ? below(2 * day) : below(39 * day);
      rows.push(
        postRow({
          author_id: author.memberId,
          created_at: now - age,
          audience: inHub ? 'hub' : author === friend || author === shy ? 'followers' : 'public',
          kind: random() < 0.8 ? 'original' : 'reply',
          engagement: random() < 0.4 ? 0 : Math.floor(200 * random() ** 6),
          controversy: inHub ? below(12) / 4 : 0,
          deleted_at: random() < 0.05 ? now : null,
        }),
      );
    }
    const isInHub = (row: SocialPostRow) => row.audience === 'hub';
    await storePosts(
      house,
      rows.filter((row) => !isInHub(row)),
      'tea',
    );
    await storePosts(house, rows.filter(isInHub), undefined, hubId);
    const seen = rows.filter(
      (row) =>
        row.deleted_at === null && row.author_id !== foe.memberId && (isInHub(row) || row.author_id !== shy.memberId),
    );
    const places: Record<string, (row: SocialPostRow) => boolean> = {
      '/timeline/public': (row) => row.audience === 'public' && row.kind === 'original',
      '/timeline/home': (row) => row.author_id !== shy.memberId,
      '/users/open/feed': (row) => row.author_id === open.memberId,
      '/users/friend/feed': (row) => row.author_id === friend.memberId,
      '/hashtag/tea': (row) => !isInHub(row),
      [`/hubs/${hubId}/posts`]: (row) => isInHub(row) && row.kind === 'original',
    };
    const hot = (row: SocialPostRow) => row.engagement / ((now - row.created_at) / 3_600_000 + 2) ** 1.5;
    const orders = [
      ['hot', 'week', hot] as const,
      ...(['day', 'week', 'month', 'all'] as const).map(
        (topWindow) => ['top', topWindow, (row: SocialPostRow) => row.engagement] as const,
      ),
    ];
    const ofHubs = [...orders, ['controversial', 'all', (row: SocialPostRow) => row.controversy] as const];
    for (const [path, isIn] of Object.entries(places)) {
      for (const [sort, topWindow, score] of path.startsWith('/hubs') ? ofHubs : orders) {
        const wanted = seen
          .filter((row) => isIn(row) && (sort !== 'top' || now - row.created_at <= windows[topWindow]))
          .map((row) => ({ id: row.id, score: score(row) }))
          .toSorted((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1))
          .map(({ id }) => id);
        const found = await idsOf(scene, reader, withQuery(path, { sort, topWindow }), { limit: () => 20 + below(31) });
        expect([path, sort, topWindow, found]).toEqual([path, sort, topWindow, wanted]);
      }
    }
  });

  it(
    'finds older posts that are better than the newest ones, page by page, in all ways that it has',
    { tags: 'soak' },
    async () => {
      await using scene = await openSocial(engine);
      const random = testRandom();
      const { house } = scene;
      const [author, reader, stranger] = [await house.register(), await house.register(), await house.register()];
      await scene.follow(reader, author);
      const now = house.clock.now();
      const rows = Array.from({ length: 500 }, (_, at) => {
        const audience = (['public', 'hub', 'followers'] as const)[at % 3]!;
        return postRow({
          author_id: [author, author, author, reader, stranger][at % 5]!.memberId,
          created_at: now - Math.floor(random() * 3 * day),
          audience,
          engagement: Math.floor(300 * random() ** 8),
          // A hub lists neither replies nor what was deleted.
          ...(audience !== 'hub' && {
            kind: at % 7 === 0 ? 'reply' : 'original',
            deleted_at: at % 11 === 0 ? now : null,
          }),
        });
      });
      const id = '1'.repeat(32);
      await storePosts(house, rows, 'tea', id);
      const hot = (row: SocialPostRow) => row.engagement / ((now - row.created_at) / 3_600_000 + 2) ** 1.5;
      const engagement = (row: SocialPostRow) => row.engagement;
      const orders = [
        ['hot', 'all', hot] as const,
        ['top', 'all', engagement] as const,
        ['top', 'week', engagement] as const,
      ];
      const isIn = {
        public: ({ audience, kind }: SocialPostRow) => audience === 'public' && kind === 'original',
        hub: ({ audience }: SocialPostRow) => audience === 'hub',
        home: (row: SocialPostRow) =>
          row.author_id === reader.memberId || (row.author_id === author.memberId && row.audience !== 'hub'),
        list: (row: SocialPostRow) =>
          (row.author_id === author.memberId && row.audience !== 'hub') ||
          (row.author_id === stranger.memberId && row.audience === 'public'),
      } as const;
      const { _id: list } = (await scene.ask(reader, 'POST', '/lists', { name: 'Some' })).list;
      await scene.ask(reader, 'POST', `/lists/${list}/members`, { userIds: [author.memberId, stranger.memberId] });
      const places = [
        { of: 'public' },
        { of: 'hub', id },
        { of: 'home', id: reader.memberId },
        { of: 'list', id: list },
      ] as const;
      const many = 0;
      // Pages are found among the first posts by their numbers: none, some or all of them. And what is looked at for who follows many is a
      // page or none: the newest posts, those of a few numbers, of all of them, or too many.
      const ways: Sizes[] = [
        { scanned: 5, near: 0, reach: { scanned: 60, levels: [2, 500], deep: 400 } },
        { scanned: 5, near: 70, reach: { scanned: 60, levels: [2, 4], deep: 400 } },
        { scanned: 5, near: 3_000, reach: { scanned: 60, levels: [500], deep: 30 } },
        { reach: { scanned: 150, levels: [], deep: 0 } },
        { reach: { scanned: 500, levels: [], deep: 0 } },
        { reach: { scanned: 2, levels: [500], deep: 400 } },
      ];
      for (const sizes of ways)
        for (const place of places) {
          for (const [ranking, window, score] of orders) {
            const wanted = rows
              .filter((row) => row.deleted_at === null && isIn[place.of](row))
              .map((row) => ({ id: row.id, score: score(row) }))
              .toSorted((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1))
              .map((row) => row.id);
            const read = readRanked(house.ctx, ranking, window, place, reader.memberId, { ...sizes, many });
            const found: string[] = [];
            let values: (string | number | null)[] = [];
            for (;;) {
              const page = await read({ values, asOf: now }, 20);
              if (page.length === 0) break;
              found.push(...page.map((row) => row.id));
              values = byScore.map(({ of }) => of(page.at(-1)!));
            }
            expect([sizes, place, ranking, window, found]).toEqual([sizes, place, ranking, window, wanted]);
          }
        }
    },
  );

  it('finds a page among the posts of all for who follows many, and looks at each author only where it does not', async () => {
    await using scene = await openSocial(engine);
    const random = testRandom();
    const { house } = scene;
    const [author, reader] = [await house.register(), await house.register()];
    await scene.follow(reader, author);
    const now = house.clock.now();
    const rows = Array.from({ length: 500 }, (_, at) =>
      postRow({
        author_id: author.memberId,
        created_at: now - at * 600_000,
        // One of them is so much liked that it is hot for years.
        engagement: at === 499 ? 1_000_000 : 1 + Math.floor(300 * random() ** 8),
        ...(at % 2 === 0 && { kind: 'reply' }),
      }),
    );
    await storePosts(house, rows);
    const asked: string[] = [];
    const ways: readonly (readonly [name: string, Reach, ...needed: ('hot all' | 'top all' | 'top week')[]])[] = [
      ['by their numbers', { scanned: 50, levels: [2, 500], deep: 500 }],
      ['the newest', { scanned: 500, levels: [], deep: 0 }],
      ['the newest that can be good enough', { scanned: 125, levels: [], deep: 0 }],
      ['too few newest', { scanned: 4, levels: [500], deep: 600 }, 'hot all'],
      ['too few numbers', { scanned: 50, levels: [1], deep: 600 }, 'hot all', 'top all', 'top week'],
      ['too many posts', { scanned: 50, levels: [500], deep: 1 }, 'hot all', 'top all', 'top week'],
    ];
    for (const [name, reach, ...needed] of ways) {
      for (const [ranking, window] of [
        ['hot', 'all'],
        ['top', 'all'],
        ['top', 'week'],
      ] as const) {
        const feed = { ranking, window, whose: reader.memberId, reader: reader.memberId, many: 0 };
        const authors = async () => {
          asked.push(name);
          return await Promise.resolve([]);
        };
        const page = await readAmongAll(
          house.ctx,
          amongQueries(engine, 'home', ranking),
          feed,
          authors,
          reach,
        )({ values: [], asOf: now }, 5);
        const isNeeded = needed.includes(`${ranking} ${window}` as never);
        expect([name, ranking, window, page.length]).toEqual([name, ranking, window, isNeeded ? 0 : 5]);
        const few = readAmongAll(
          house.ctx,
          amongQueries(engine, 'home', ranking),
          { ...feed, many: 1 },
          authors,
          reach,
        );
        expect(await few({ values: [], asOf: now }, 5)).toEqual([]);
      }
      expect(asked.splice(0)).toHaveLength(3 + needed.length);
    }
  });

  it(
    'has each post once for who follows many, while others come and go between the pages',
    { tags: 'soak' },
    async () => {
      await using scene = await openSocial(engine);
      const random = testRandom();
      const { house } = scene;
      const { db } = house.ctx;
      const [author, reader] = [await house.register(), await house.register()];
      await scene.follow(reader, author);
      const now = house.clock.now();
      const post = (created_at: number) =>
        postRow({
          author_id: author.memberId,
          created_at,
          engagement: Math.floor(300 * random() ** 4),
          ...(random() < 0.3 && { kind: 'reply' }),
        });
      for (const reach of [
        { scanned: 50, levels: [4, 500], deep: 500 },
        { scanned: 500, levels: [], deep: 0 },
        { scanned: 60, levels: [8], deep: 100 },
      ]) {
        for (const ranking of ['hot', 'top'] as const) {
          await db.deleteFrom('social_posts').execute();
          const rows = Array.from({ length: 300 }, () => post(now - Math.floor(random() * 3 * day)));
          await storePosts(house, rows);
          const read = readRanked(house.ctx, ranking, 'all', { of: 'home', id: reader.memberId }, reader.memberId, {
            many: 0,
            reach,
          });
          const [found, gone] = [new Set<string>(), new Set<string>()];
          let values: (string | number | null)[] = [];
          for (;;) {
            const page = await read({ values, asOf: now }, 20);
            for (const { id } of page) {
              expect([ranking, reach, found.has(id) || gone.has(id)]).toEqual([ranking, reach, false]);
              found.add(id);
            }
            if (page.length === 0) break;
            values = byScore.map(({ of }) => of(page.at(-1)!));
            const { id } = rows[Math.floor(random() * rows.length)]!;
            if (!found.has(id)) gone.add(id);
            await db.updateTable('social_posts').set({ deleted_at: now }).where('id', '=', id).execute();
            await storePosts(house, [post(now + 1 + found.size)]);
          }
          expect([ranking, reach, found.size + gone.size]).toEqual([ranking, reach, rows.length]);
        }
      }
    },
  );

  it('has the best post of all although somebody likes it while a page is read', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [author, reader] = [await house.register(), await house.register()];
    await scene.follow(reader, author);
    const now = house.clock.now();
    const rows = Array.from({ length: 300 }, (_, at) => {
      const engagement = at === 200 ? 1_000 : 1 + (at % 5);
      return postRow({ author_id: author.memberId, created_at: now - at * 600_000, engagement });
    });
    await storePosts(house, rows);
    const { id } = rows[200]!;
    const { db } = house.ctx;
    let number = 1_000;
    // Each statement finds the post with another number than the one before.
    const liked = new Proxy(db, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (name !== 'executeQuery') return typeof found === 'function' ? (found.bind(target) as unknown) : found;
        return async (query: CompiledQuery) => {
          number += 1;
          await target.updateTable('social_posts').set({ engagement: number }).where('id', '=', id).execute();
          return await target.executeQuery(query);
        };
      },
    });
    for (const ranking of ['hot', 'top'] as const) {
      const feed = { ranking, window: 'all', whose: reader.memberId, reader: reader.memberId, many: 0 } as const;
      const reach = { scanned: 20, levels: [500], deep: 500 };
      const none = async () => await Promise.resolve([]);
      const page = await readAmongAll(
        { ...house.ctx, db: liked },
        amongQueries(engine, 'home', ranking),
        feed,
        none,
        reach,
      )({ values: [], asOf: now }, 10);
      expect([ranking, page[0]?.id]).toEqual([ranking, id]);
    }
  });
});
