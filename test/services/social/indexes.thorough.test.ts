import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/service/context.ts';
import { readAuthor, readHome, readList, readPublic, readTag } from '../../../src/services/social/feeds/newest.ts';
import type { Ranking } from '../../../src/services/social/feeds/ranked.ts';
import { readRanked } from '../../../src/services/social/feeds/ranked-feeds.ts';
import { hubFeed } from '../../../src/services/social/hubs/feed.ts';
import { likeNoticesHandler } from '../../../src/services/social/posts/like-notices.ts';
import { like } from '../../../src/services/social/posts/reactions.ts';
import { showThread } from '../../../src/services/social/posts/reading.ts';
import { search } from '../../../src/services/social/search/search.ts';
import type { Actor } from '../../../src/service/actor.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { planOf, plansOf as plans, statementsOf } from '../../support/plans.ts';
import { bothEngines } from '../../support/stores.ts';
import { postRow, storePosts } from './filled.ts';
import { openSocial } from './scene.ts';

/** What shows that an engine reads all posts, or sorts more than a page. */
const whole = {
  sqljs: /^SCAN (?:p|q|s|t|social_posts)\b(?! USING)|AUTOMATIC/m,
  postgres: /Seq Scan on social_posts/,
} as const;
const wholeHub = {
  sqljs: /^SCAN (?:h|h_.|p|q|s|social_posts)\b|AUTOMATIC/m,
  postgres: /Seq Scan on social_post(?:s|_hubs)\b/,
} as const;
const wholeSearch = {
  // Here `p` is a row of few postings that were found already.
  sqljs: /^SCAN (?:d|k|search_\w+|social_posts)\b|AUTOMATIC/m,
  postgres: /Seq Scan on (?:search_(?:postings|recent|documents|pending)|social_post(?:s|_hubs))\b/,
} as const;
const sorted = { sqljs: /TEMP B-TREE FOR ORDER BY/, postgres: /\bSort\b/ } as const;

const byId = {
  sqljs: 'SEARCH p USING INDEX sqlite_autoindex_social_posts_1 (id>? AND id<?)',
  postgres: /Index Scan using social_posts_pkey on social_posts p .*\n *Index Cond: \(\(id < /,
} as const;

describe.each(bothEngines)('the indexes on %s', (engine) => {
  it('are used by the feeds and threads', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const members: HouseMember[] = [];
    for (let at = 0; at < 12; at += 1) members.push(await house.register());
    const [reader, other] = members as [HouseMember, HouseMember];
    for (const one of members.slice(1, 6)) await scene.follow(reader, one);
    const root = await scene.post(other, 'Root');
    const now = house.clock.now();
    house.clock.advance(4_001_000);
    const rows = Array.from({ length: 4000 }, (_, at) =>
      postRow({
        // One writes little: PostgreSQL rightly reads backwards to find posts of somebody who wrote every tenth.
        author_id: (at % 100 === 0 ? other : members[2 + (at % 10)]!).memberId,
        created_at: now + (4000 - at) * 1000,
        engagement: at % 7,
        ...(at % 5 === 0 && {
          kind: 'reply' as const,
          parent_id: at % 50 === 0 ? root : '0'.repeat(32),
          root_id: at % 50 === 0 ? root : '0'.repeat(32),
        }),
      }),
    );
    const rare = (_: unknown, at: number) => at % 100 === 0;
    await storePosts(house, rows.filter(rare), 'tea');
    await storePosts(
      house,
      rows.filter((row, at) => !rare(row, at)),
      'coffee',
    );
    // A server has PostgreSQL analyze its tables now and then, and nobody has SQLite do it.
    if (engine === 'postgres') await house.ctx.db.executeQuery(CompiledQuery.raw('analyze'));
    const after = { values: [], asOf: house.clock.now() };
    const actor = { memberId: reader.memberId } as Actor;
    const newest = await plans(scene, async (ctx) => await readPublic(ctx)(after, 21));
    expect(newest).toContain('social_posts_public');
    const author = await plans(scene, async (ctx) => await readAuthor(ctx, reader.memberId, other.memberId)(after, 6));
    expect(author).toContain('social_posts_author');
    const tagged = await plans(scene, async (ctx) => await readTag(ctx, reader.memberId, 'tea')(after, 6));
    expect(tagged).toMatch(/SEARCH t USING PRIMARY KEY|social_post_tags_key/);
    for (const plan of [newest, author, tagged]) {
      expect(plan).not.toMatch(whole[engine]);
      expect(plan).not.toMatch(sorted[engine]);
    }
    const followed = await plans(scene, async (ctx) => await readHome(ctx, reader.memberId)(after, 21));
    expect(followed).toContain('social_posts_author');
    expect(followed).not.toMatch(whole[engine]);
    const { _id: listId } = (await scene.ask(reader, 'POST', '/lists', { name: 'Few' })).list;
    await scene.ask(reader, 'POST', `/lists/${listId}/members`, {
      userIds: members.slice(1, 6).map(({ memberId }) => memberId),
    });
    const listed = await plans(scene, async (ctx) => await readList(ctx, reader.memberId, listId)(after, 21));
    expect(listed).toContain('social_posts_author');
    expect(listed).not.toMatch(whole[engine]);
    // PostgreSQL goes from author to author, and reads a page of each. Only a nested loop compares with the row of its other side.
    if (engine === 'postgres') {
      const each =
        /Limit .*\n *-> {2}Index (?:Only )?Scan using social_posts_author on social_posts q .*\n *Index Cond: \(\(author_id = f\.(?:followee|member)_id\)/;
      for (const plan of [followed, listed]) {
        expect(plan).toContain('Nested Loop');
        expect(plan).toMatch(each);
      }
    }

    const ofWindow = { hot: 'all', top: 'month' } as const;
    for (const ranking of ['hot', 'top'] as const) {
      const read = async (ctx: Context) =>
        await readRanked(ctx, ranking, ofWindow[ranking], { of: 'public' }, reader.memberId, { scanned: 100, near: 0 })(
          after,
          21,
        );
      const ranked = await plans(scene, read);
      expect(ranked).toContain('social_posts_public_engagement');
      expect(ranked).not.toMatch(whole[engine]);
      // Of two lower bounds SQLite takes the first, and reads everything between them.
      for (const { sql } of await statementsOf(scene, read)) expect(sql.split(/\bid > /).length).toBeLessThan(3);
    }
    const places = { home: reader.memberId, author: members[2]!.memberId, tag: 'coffee' } as const;
    for (const of of ['home', 'author', 'tag'] as const) {
      const [place, name] = [{ of, id: places[of] }, of === 'tag' ? 'social_post_tags' : 'social_posts_author'];
      for (const ranking of ['hot', 'top'] as const) {
        const ranked = await plans(
          scene,
          async (ctx) =>
            await readRanked(ctx, ranking, ofWindow[ranking], place, reader.memberId, { scanned: 100, near: 0 })(
              after,
              21,
            ),
          true,
        );
        // Which of its indexes PostgreSQL takes, it chooses by statistics.
        if (engine === 'sqljs') {
          expect(ranked).toContain(`${name}_engagement`);
          expect(ranked).toContain(of === 'tag' ? 'USING PRIMARY KEY (tag=?' : `USING INDEX ${name} (`);
        } else expect(ranked).toMatch(new RegExp(`Scan (?:using|on) ${name}(?:_engagement|_key)?\\b`));
        // For the members whom somebody follows it goes from author to author, for posts of each age.
        if (engine === 'postgres' && of === 'home')
          expect(ranked.match(/Index Cond: \(*author_id = /g)).toHaveLength(2);
        expect(ranked).not.toMatch(whole[engine]);
      }
      const best = await plans(
        scene,
        async (ctx) =>
          await readRanked(ctx, 'top', 'all', place, reader.memberId, { scanned: 100, near: 0 })(after, 21),
        true,
      );
      expect(best).toMatch(engine === 'sqljs' || of !== 'home' ? new RegExp(`${name}_engagement`) : new RegExp(name));
      if (of !== 'home' && engine === 'sqljs') expect(best).not.toMatch(sorted.sqljs);
    }
    // For who follows many: the newest posts of all by their ids, and all posts by their numbers.
    const reach = { scanned: 100, levels: [100], deep: 4_000 };
    const home = { of: 'home', id: reader.memberId } as const;
    for (const ranking of ['hot', 'top'] as const) {
      const among = await plans(
        scene,
        async (ctx) => await readRanked(ctx, ranking, 'all', home, reader.memberId, { many: 0, reach })(after, 21),
        true,
      );
      if (ranking === 'hot') expect(among).toMatch(byId[engine]);
      for (const part of ['public', 'other'])
        expect(among).toMatch(
          engine === 'sqljs'
            ? `SEARCH q USING INDEX social_posts_${part}_engagement (engagement=? AND id>? AND id<?)`
            : new RegExp(
                String.raw`Index (?:Only )?Scan (?:using|on) social_posts_${part}_engagement .*\n *Index Cond: .*ROW\(engagement, id\) < `,
              ),
        );
      expect(among).not.toMatch(whole[engine]);
      expect(among).not.toContain('social_posts_author');
    }
    // A member has a thousand notifications, and it is asked for every like whether one of them takes it.
    // In a transaction of its own: its statements go out at once, and one needs the row of another.
    await like(house.ctx, { ...actor, kind: 'member' }, { id: root });
    const telling = await statementsOf(scene, async (ctx) => {
      const job = { id: '', attempt: 1, signal: new AbortController().signal, finish: async () => {} };
      await likeNoticesHandler(ctx)(null, job);
    });
    const grouping = telling.find(({ sql }) => sql.includes('+created_at'));
    if (engine === 'sqljs') expect(await planOf(scene, grouping!)).toContain('notifications_about');

    const thread = await plans(scene, async (ctx) => await showThread(ctx, actor, { id: root, limit: 500 }));
    expect(thread).toContain('social_posts_thread');
    expect(thread).not.toMatch(whole[engine]);
  });

  it('are used by the feeds of hubs and by the search', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [reader, writer] = [await house.register(), await house.register()];
    const { _id: hubId } = await scene.ask(reader, 'POST', '/hubs', { name: 'Leaves' });
    const now = house.clock.now();
    const rows = Array.from({ length: 4000 }, (_, at) =>
      postRow({
        author_id: writer.memberId,
        created_at: now - (at + 1) * 1000,
        engagement: at % 7,
        controversy: at % 11,
        audience: 'hub',
      }),
    );
    const rare = (_: unknown, at: number) => at % 40 === 0;
    await storePosts(house, rows.filter(rare), undefined, hubId);
    await storePosts(
      house,
      rows.filter((row, at) => !rare(row, at)),
      undefined,
      '1'.repeat(32),
    );
    for (let at = 0; at < 20; at += 1) await scene.post(writer, `Leaf ${at} #tea`);
    if (engine === 'postgres') await house.ctx.db.executeQuery(CompiledQuery.raw('analyze'));
    const actor = { memberId: reader.memberId, kind: 'member' } as Actor;
    const after = { values: [], asOf: now };
    const place = { of: 'hub', id: hubId } as const;
    const ranked = (ranking: Ranking, window: 'all' | 'month') => async (ctx: Context) =>
      await readRanked(ctx, ranking, window, place, '', { scanned: 20, near: 0 })(after, 21);
    const feed = (sort: 'new' | 'controversial') => async (ctx: Context) =>
      await hubFeed(ctx, actor, { hubId, sort, topWindow: 'all', limit: 20 });
    for (const [index, read] of [
      ['new', feed('new')],
      ['controversy', feed('controversial')],
      ['engagement', ranked('hot', 'all')],
      ['engagement', ranked('top', 'month')],
      ['engagement', ranked('top', 'all')],
    ] as const) {
      const plan = await plans(scene, read, true);
      expect(plan).toMatch(new RegExp(`(?:COVERING INDEX|Scan using) social_post_hubs_${index}\\b`));
      expect(plan).not.toMatch(wholeHub[engine]);
    }
    for (const q of ['leaf', 'leaf hub:leaves', '#tea', `from:${writer.memberId}`]) {
      const plan = await plans(scene, async (ctx) => await search(ctx, actor, { q, limit: 10 }), true);
      expect(plan).toMatch(
        /SEARCH search_postings USING PRIMARY KEY \(space=\? AND word=\?|Scan using search_postings_/,
      );
      expect(plan).toMatch(/SEARCH d USING COVERING INDEX search_documents_ids|Scan using search_documents_/);
      expect(plan).not.toMatch(wholeSearch[engine]);
    }
  });
});
