import { describe, expect, it } from 'vitest';
import type { HouseMember } from '../../support/prepared-member.ts';
import { testRandom } from '../../support/seeded.ts';
import { engines } from '../../support/stores.ts';
import { contents } from '../notifications/notifying.ts';
import { expectRightCounts } from './right-counts.ts';
import { openSocial, said, type SocialScene } from './scene.ts';

async function cast(scene: SocialScene): Promise<Record<'ada' | 'bob' | 'eve', HouseMember>> {
  const [ada, bob, eve] = [
    await scene.house.register({ username: 'ada' }),
    await scene.house.register({ username: 'bob' }),
    await scene.house.register({ username: 'eve' }),
  ];
  return { ada, bob, eve };
}

describe.each(engines)('check 18, counters on %s', (engine) => {
  it('are right after 50 likes, votes and reposts at once, of one member and of many', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const random = testRandom();
    const id = await scene.post(ada, 'Like #me');
    const acts = [
      ['POST', 'like'],
      ['DELETE', 'like'],
      ['POST', 'upvote'],
      ['POST', 'downvote'],
      ['DELETE', 'vote'],
      ['POST', 'repost'],
    ] as const;
    const others: HouseMember[] = [];
    for (let at = 0; at < 8; at += 1) others.push(await scene.house.register());
    for (const crowd of [[bob], others]) {
      const answers = await Promise.all(
        Array.from({ length: 55 }, async (_, at) => {
          // An edit writes the hashtags anew, with what they are ranked by.
          if (at % 11 === 0) return said(await scene.call(ada, 'PUT', `/posts/${id}`, { content: `Like #me ${at}` }));
          const [method, what] = acts[Math.floor(random() * acts.length)]!;
          const who = crowd[Math.floor(random() * crowd.length)]!;
          return said(await scene.call(who, method, `/posts/${id}/${what}`));
        }),
      );
      const known = new Set([
        '200 success',
        '201 success',
        '400 ALREADY_LIKED',
        '400 NOT_LIKED',
        '400 ALREADY_REPOSTED',
      ]);
      expect(answers.filter((answer) => !known.has(answer))).toEqual([]);
      await expectRightCounts(scene);
    }
    const likes = await Promise.all(
      Array.from({ length: 50 }, async () => said(await scene.call(ada, 'POST', `/posts/${id}/like`))),
    );
    expect(likes.filter((answer) => answer === '200 success')).toHaveLength(1);
    await expectRightCounts(scene);
    const reposts = await Promise.all(
      Array.from({ length: 20 }, async () => said(await scene.call(ada, 'POST', `/posts/${id}/repost`))),
    );
    expect(reposts.filter((answer) => answer === '201 success')).toHaveLength(1);
    await expectRightCounts(scene);
    await scene.ask(ada, 'PUT', `/posts/${id}`, { content: 'Like #me and #you' });
    await expectRightCounts(scene);
    expect(await scene.house.ctx.db.selectFrom('social_post_tags').select('tag').execute()).toHaveLength(2);
  });

  it('are right, and no row is left over, when a post is deleted while others react to it', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const id = await scene.post(ada, 'Going');
    const acts = [
      [bob, 'POST', 'like'],
      [eve, 'POST', 'like'],
      [bob, 'POST', 'upvote'],
      [eve, 'POST', 'repost'],
      [bob, 'POST', 'quote'],
      [ada, 'DELETE', ''],
      [bob, 'DELETE', 'like'],
      [eve, 'POST', 'report'],
    ] as const;
    const answers = await Promise.all(
      acts.map(async ([who, method, what]) => {
        const body = { commentary: 'Look', reason: 'Rude' };
        return said(await scene.call(who, method, `/posts/${id}/${what}`.replace(/\/$/, ''), body));
      }),
    );
    const known = new Set(['200 success', '201 success', '204 success', '404 POST_NOT_FOUND', '400 NOT_LIKED']);
    expect(answers.filter((answer) => !known.has(answer))).toEqual([]);
    await expectRightCounts(scene);
    await expectNothingLeft(scene, id);
  });

  it('of a deleted post stay right when what was about it is deleted too', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const id = await scene.post(ada, 'Root');
    const reply = await scene.post(bob, 'Reply', { parentPostId: id });
    const quote = await scene.ask(bob, 'POST', `/posts/${id}/quote`, { commentary: 'Quote' });
    await scene.ask(bob, 'POST', `/posts/${id}/like`);
    await scene.ask(ada, 'DELETE', `/posts/${id}`);
    await expectRightCounts(scene);
    for (const one of [reply, quote['_id']]) await scene.ask(bob, 'DELETE', `/posts/${one}`);
    await expectRightCounts(scene);
  });

  it('are changed by one vote of a member, however often it is given', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const id = await scene.post(ada, 'Vote');
    const vote = async (who: HouseMember, what: string) => {
      const [method, path] = what === 'unvote' ? (['DELETE', 'vote'] as const) : (['POST', what] as const);
      const { upvoteCount, downvoteCount, score } = await scene.ask(who, method, `/posts/${id}/${path}`);
      return [upvoteCount, downvoteCount, score];
    };
    expect(await vote(bob, 'upvote')).toEqual([1, 0, 1]);
    expect(await vote(bob, 'upvote')).toEqual([1, 0, 1]);
    expect(await vote(bob, 'downvote')).toEqual([0, 1, -1]);
    expect(await vote(eve, 'downvote')).toEqual([0, 2, -2]);
    expect(await vote(bob, 'unvote')).toEqual([0, 1, -1]);
    expect(await vote(bob, 'unvote')).toEqual([0, 1, -1]);
    expect(await scene.ask(ada, 'GET', `/posts/${id}`)).toMatchObject({ downvoteCount: 1, score: -1, vote: 0 });
    await expectRightCounts(scene);
  });

  it('count nothing that readers of the post could not see', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    await scene.protect(bob);
    const id = await scene.post(ada, 'Open');
    await scene.post(bob, 'Hidden reply', { parentPostId: id });
    await scene.ask(bob, 'POST', `/posts/${id}/quote`, { commentary: 'Hidden quote' });
    await scene.ask(bob, 'POST', `/posts/${id}/repost`);
    expect(await scene.ask(eve, 'GET', `/posts/${id}`)).toMatchObject({ replyCount: 0, quoteCount: 0, repostCount: 0 });
    expect(await scene.ask(bob, 'GET', `/posts/${id}`)).toMatchObject({ reposted: true });
    await expectRightCounts(scene);
    expect(await contents(scene.house, ada)).toEqual([]);
  });
});

/** Of a deleted post nothing is left but its empty row, and what others wrote. */
async function expectNothingLeft({ house }: SocialScene, id: string): Promise<void> {
  const { db } = house.ctx;
  const left = {
    likes: await db.selectFrom('social_likes').selectAll().where('post_id', '=', id).execute(),
    votes: await db.selectFrom('social_votes').selectAll().where('post_id', '=', id).execute(),
    tags: await db.selectFrom('social_post_tags').selectAll().where('post_id', '=', id).execute(),
    reposts: await db
      .selectFrom('social_posts')
      .selectAll()
      .where('subject_id', '=', id)
      .where('kind', '=', 'repost')
      .execute(),
    notifications: await db.selectFrom('notifications').selectAll().where('target_id', '=', id).execute(),
  };
  expect(left).toEqual({ likes: [], votes: [], tags: [], reposts: [], notifications: [] });
  const row = await db.selectFrom('social_posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ content: '', warning: '', mentions: '{}' });
}

describe.each(engines)('check 18, a deleted post on %s', (engine) => {
  it('takes likes, votes, tags, reposts and notifications with it, and leaves replies and quotes', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const above = await scene.post(bob, 'Above');
    const id = await scene.post(ada, 'Hello @eve #tea', { parentPostId: above, contentWarning: 'Tea' });
    const reply = await scene.post(bob, 'Reply to @ada', { parentPostId: id });
    for (const who of [bob, eve]) {
      await scene.ask(who, 'POST', `/posts/${id}/like`);
      await scene.ask(who, 'POST', `/posts/${id}/upvote`);
      await scene.ask(who, 'POST', `/posts/${id}/repost`);
    }
    const quote = await scene.ask(eve, 'POST', `/posts/${id}/quote`, { commentary: 'Quote' });
    await scene.ask(eve, 'POST', `/posts/${id}/report`, { reason: 'Rude' });
    expect(await scene.ask(bob, 'GET', `/posts/${above}`)).toMatchObject({ replyCount: 1 });
    await scene.ask(ada, 'DELETE', `/posts/${id}`);
    await expectNothingLeft(scene, id);
    await expectRightCounts(scene);
    expect(await scene.ask(bob, 'GET', `/posts/${above}`)).toMatchObject({ replyCount: 0 });
    expect(await contents(scene.house, eve)).toEqual([]);
    expect((await contents(scene.house, ada)).toSorted()).toEqual([
      'bob replied to your post.',
      'eve quoted your post.',
    ]);
    expect((await scene.ask(bob, 'GET', `/posts/${above}/thread`)).replies).toEqual([]);
    expect(await scene.ask(bob, 'GET', `/posts/${reply}`)).toMatchObject({ parentPostId: id });
    expect(await scene.ask(bob, 'GET', `/posts/${quote['_id']}`)).toMatchObject({ quotedPost: null });
    // Everything that could be done with it says that it does not exist.
    const acts = [
      ['GET', ''],
      ['GET', '/thread'],
      ['PUT', ''],
      ['POST', '/like'],
      ['DELETE', '/like'],
      ['POST', '/repost'],
      ['POST', '/quote'],
      ['POST', '/report'],
      ['POST', '/upvote'],
      ['POST', '/downvote'],
      ['DELETE', '/vote'],
    ] as const;
    const body = { content: 'x', commentary: 'x', reason: 'x' };
    for (const who of [ada, bob])
      for (const [method, path] of acts)
        expect([
          method,
          path,
          said(await scene.call(who, method, `/posts/${id}${path}`, method === 'GET' ? undefined : body)),
        ]).toEqual([method, path, '404 POST_NOT_FOUND']);
    expect(said(await scene.call(bob, 'POST', '/posts', { content: 'x', parentPostId: id }))).toBe(
      '404 POST_NOT_FOUND',
    );
    expect(said(await scene.call(bob, 'DELETE', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
    expect(said(await scene.call(ada, 'DELETE', `/posts/${id}`))).toBe('400 POST_ALREADY_DELETED');
  });
});

describe.each(engines)('reposts and quotes on %s', (engine) => {
  it('change with what they are about', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const id = await scene.post(ada, 'First');
    const repost = (await scene.ask(bob, 'POST', `/posts/${id}/repost`))['_id'] as string;
    const quote = (await scene.ask(bob, 'POST', `/posts/${id}/quote`, { commentary: 'Look' }))['_id'] as string;
    const seen = async (who: HouseMember) => {
      const [one, other] = [
        await scene.call(who, 'GET', `/posts/${repost}`),
        await scene.call(who, 'GET', `/posts/${quote}`),
      ];
      return [one.body.data?.quotedPost.content ?? said(one), other.body.data?.quotedPost?.content ?? said(other)];
    };
    expect(await seen(eve)).toEqual(['First', 'First']);
    await scene.ask(ada, 'PUT', `/posts/${id}`, { content: 'Second' });
    expect(await seen(eve)).toEqual(['Second', 'Second']);
    const hidden = ['404 POST_NOT_FOUND', '200 success'];
    await scene.protect(ada);
    expect(await seen(eve)).toEqual(hidden);
    await scene.ask(ada, 'PUT', '/users/ada', { isProtected: false });
    expect(await seen(eve)).toEqual(['Second', 'Second']);
    await scene.ask(ada, 'POST', '/users/eve/block');
    expect([await seen(eve), await seen(ada)]).toEqual([hidden, ['Second', 'Second']]);
    await scene.ask(ada, 'DELETE', '/users/eve/block');
    await scene.ask(eve, 'POST', '/users/ada/block');
    expect(await seen(eve)).toEqual(hidden);
    await scene.ask(eve, 'DELETE', '/users/ada/block');
    await scene.ask(ada, 'DELETE', `/posts/${id}`);
    expect(await seen(eve)).toEqual(hidden);
    await expectRightCounts(scene);
  });

  it('of a repost or quote are about the post that is meant', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const id = await scene.post(ada, 'One');
    const repost = await scene.ask(bob, 'POST', `/posts/${id}/repost`);
    scene.house.clock.advance(1);
    const again = await scene.ask(eve, 'POST', `/posts/${repost['_id']}/repost`);
    expect(again).toMatchObject({ quotedPostId: id, quotedPost: { repostCount: 2 } });
    expect(said(await scene.call(eve, 'POST', `/posts/${id}/repost`))).toBe('400 ALREADY_REPOSTED');
    await scene.ask(eve, 'POST', `/posts/${repost['_id']}/like`);
    expect(await scene.ask(eve, 'GET', `/posts/${id}`)).toMatchObject({ likeCount: 1, liked: true });
    const reply = await scene.post(eve, 'Reply', { parentPostId: repost['_id'] });
    expect(await scene.ask(eve, 'GET', `/posts/${reply}`)).toMatchObject({ parentPostId: id });
    const quote = await scene.ask(eve, 'POST', `/posts/${repost['_id']}/quote`, { commentary: 'Two' });
    expect(quote).toMatchObject({ quotedPostId: id });
    const outer = await scene.ask(bob, 'POST', `/posts/${quote['_id']}/quote`, { commentary: 'Three' });
    expect(outer.quotedPost).toMatchObject({ _id: quote['_id'], quotedPostId: id });
    expect(outer.quotedPost.quotedPost).toBeUndefined();
    // A repost that was taken back can be made again.
    await scene.ask(eve, 'DELETE', `/posts/${again['_id']}`);
    expect(await scene.ask(eve, 'GET', `/posts/${id}`)).toMatchObject({ repostCount: 1, reposted: false });
    await scene.ask(eve, 'POST', `/posts/${id}/repost`);
    await expectRightCounts(scene);
  });

  it('can be taken back when the post is hidden from their author', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const id = await scene.post(ada, 'One');
    const repost = await scene.ask(bob, 'POST', `/posts/${id}/repost`);
    await scene.ask(ada, 'POST', '/users/bob/block');
    expect(said(await scene.call(bob, 'GET', `/posts/${repost['_id']}`))).toBe('404 POST_NOT_FOUND');
    expect(said(await scene.call(bob, 'DELETE', `/posts/${repost['_id']}`))).toBe('204 success');
    expect(said(await scene.call(bob, 'DELETE', `/posts/${repost['_id']}`))).toBe('400 POST_ALREADY_DELETED');
    expect(await scene.ask(ada, 'GET', `/posts/${id}`)).toMatchObject({ repostCount: 0 });
  });
});

describe.each(engines)('a thread on %s', (engine) => {
  it('is 10 replies deep, and no deeper', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob } = await cast(scene);
    const ids = [await scene.post(ada, 'Root')];
    for (let depth = 1; depth <= 10; depth += 1)
      ids.push(await scene.post(depth % 2 === 0 ? ada : bob, `Depth ${depth}`, { parentPostId: ids.at(-1) }));
    const last = ids.at(-1)!;
    const deeper = await scene.call(bob, 'POST', '/posts', { content: 'Deeper', parentPostId: last });
    expect(said(deeper)).toBe('400 THREAD_TOO_DEEP');
    expect(await scene.ask(bob, 'GET', `/posts/${last}`)).toMatchObject({ replyCount: 0 });
    const thread = await scene.ask(bob, 'GET', `/posts/${last}/thread`);
    expect(thread).toMatchObject({ rootPost: { _id: ids[0] }, replyCount: 10, participantCount: 2, hasMore: false });
    expect(thread.replies.map(({ _id: id }: { _id: string }) => id)).toEqual(ids.slice(1));
    await expectRightCounts(scene);
  });

  it('ends above and below a post that is hidden from its reader', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const root = await scene.post(ada, 'Root');
    const middle = await scene.post(eve, 'Middle', { parentPostId: root });
    const leaf = await scene.post(ada, 'Leaf', { parentPostId: middle });
    const below = await scene.post(ada, 'Below', { parentPostId: leaf });
    const beside = await scene.post(ada, 'Beside', { parentPostId: root });
    const shape = async (who: HouseMember, id: string) => {
      const { rootPost, replies } = await scene.ask(who, 'GET', `/posts/${id}/thread`);
      return [rootPost['_id'], ...replies.map((post: { _id: string }) => post['_id'])];
    };
    const all = [root, middle, leaf, below, beside];
    for (const id of all) expect(await shape(bob, id)).toEqual(all);
    await scene.ask(eve, 'POST', '/users/bob/block');
    expect(await shape(bob, root)).toEqual([root, beside]);
    expect(await shape(bob, below)).toEqual([leaf, below]);
    expect(said(await scene.call(bob, 'GET', `/posts/${middle}/thread`))).toBe('404 POST_NOT_FOUND');
    expect(await shape(ada, below)).toEqual(all);
    await scene.ask(eve, 'DELETE', `/posts/${middle}`);
    expect(await shape(ada, root)).toEqual([root, beside]);
    expect(await shape(ada, leaf)).toEqual([leaf, below]);
    // No reply crosses the gap without being seen by its reader.
    expect(said(await scene.call(bob, 'POST', '/posts', { content: 'x', parentPostId: middle }))).toBe(
      '404 POST_NOT_FOUND',
    );
  });
});
