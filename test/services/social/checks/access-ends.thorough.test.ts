import { describe, expect, it } from 'vitest';
import { engines } from '../../../support/stores.ts';
import { contents } from '../../notifications/notifying.ts';
import { runDueJobs } from '../../quorum/due-jobs.ts';
import { openSocial, said } from '../scene.ts';
import { idsOf, withQuery } from '../walk.ts';

describe.each(engines)('check 5, the end of a follow on %s', (engine) => {
  it.each([
    ['unfollowed', 'DELETE', '/users/ada/follow', 'bob'],
    ['removed', 'DELETE', '/users/bob/follower', 'ada'],
    ['blocked', 'POST', '/users/bob/block', 'ada'],
    ['blocking', 'POST', '/users/ada/block', 'bob'],
  ] as const)('ends what a member sees, %s, also by id and behind an old cursor', async (_, method, path, by) => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    await scene.protect(ada);
    await scene.follow(bob, ada);
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) ids.push(await scene.post(ada, `Post ${at} #tea`));
    const feeds = ['/timeline/home', '/users/ada/feed', '/hashtag/tea'].flatMap((feed) =>
      ['new', 'hot', 'top'].map((sort) => withQuery(feed, { sort })),
    );
    const cursors: string[] = [];
    for (const feed of feeds) cursors.push((await scene.ask(bob, 'GET', withQuery(feed, { limit: 2 }))).cursor);
    await scene.ask(by === 'ada' ? ada : bob, method, path, method === 'POST' ? {} : undefined);
    for (const [at, feed] of feeds.entries()) {
      const answer = await scene.call(bob, 'GET', withQuery(feed, { cursor: cursors[at] }));
      const gone = by === 'ada' && method === 'POST' && feed.startsWith('/users/ada');
      expect([feed, said(answer)]).toEqual([feed, gone ? '404 MEMBER_NOT_FOUND' : '200 success']);
      expect(answer.body.data?.posts ?? []).toEqual([]);
    }
    for (const id of ids) expect(said(await scene.call(bob, 'GET', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
    // Nor is anybody told of new posts.
    await scene.post(ada, 'Hello @bob');
    await runDueJobs(scene, 'notifications');
    expect((await contents(scene.house, bob)).filter((text) => text.includes('mentioned'))).toEqual([]);
  });
});

describe.each(engines)('check 6, a block on %s', (engine) => {
  it('works in both directions, and through the threads of others', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob, eve] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
      await scene.house.register({ username: 'eve' }),
    ];
    const [hers, his] = [await scene.post(ada, 'Hers'), await scene.post(bob, 'His')];
    const root = await scene.post(eve, 'Root');
    await scene.ask(ada, 'POST', '/users/bob/block');
    const body = { content: 'x', commentary: 'x', reason: 'x' };
    for (const [who, id] of [
      [bob, hers],
      [ada, his],
    ] as const) {
      for (const act of ['like', 'repost', 'quote', 'report', 'upvote', 'downvote'])
        expect(said(await scene.call(who, 'POST', `/posts/${id}/${act}`, body))).toBe('404 POST_NOT_FOUND');
      expect(said(await scene.call(who, 'POST', '/posts', { ...body, parentPostId: id }))).toBe('404 POST_NOT_FOUND');
    }
    // In the thread of somebody else neither is told of the other, nor sees the other.
    const reply = await scene.post(ada, 'Reply', { parentPostId: root });
    const other = await scene.post(bob, 'Hello @ada', { parentPostId: root });
    await scene.post(ada, 'Hello @bob', { parentPostId: root });
    const ofEve = await scene.post(eve, 'Hello @ada and @bob', { parentPostId: root });
    await runDueJobs(scene, 'notifications');
    expect(await contents(scene.house, ada)).toEqual(['eve mentioned you.']);
    expect(await contents(scene.house, bob)).toEqual(['eve mentioned you.']);
    const seen = async (who: typeof ada) =>
      (await scene.ask(who, 'GET', `/posts/${root}/thread`)).replies.map(({ _id: id }: { _id: string }) => id);
    expect(await seen(ada)).not.toContain(other);
    expect(await seen(bob)).toEqual([other, ofEve]);
    expect(said(await scene.call(bob, 'GET', `/posts/${reply}`))).toBe('404 POST_NOT_FOUND');
    // Whom a name means is not said to whom they blocked.
    expect(await scene.ask(bob, 'GET', `/posts/${other}`)).toMatchObject({ mentions: [] });
    await scene.ask(ada, 'DELETE', '/users/bob/block');
    expect(said(await scene.call(bob, 'POST', `/posts/${hers}/like`))).toBe('200 success');
  });

  it('and a suspension leave a name in the post of somebody else as plain as one that nobody has', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob, cat, dan, eve] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
      await scene.house.register({ username: 'cat' }),
      await scene.house.register({ username: 'dan' }),
      await scene.house.register({ username: 'eve' }),
    ];
    const hub = (await scene.ask(eve, 'POST', '/hubs', { name: 'Sealed', trustTier: 'encrypted' }))['_id'] as string;
    await scene.ask(bob, 'POST', `/hubs/${hub}/join`, {});
    const text = '@ada @cat @dan @nobody #tea';
    const root = await scene.post(eve, text);
    const reply = await scene.post(eve, text, { parentPostId: root });
    const sealed = await scene.post(eve, text, { hubIds: [hub] });
    scene.house.clock.advance(1);
    const quote = (await scene.ask(eve, 'POST', `/posts/${root}/quote`, { commentary: text }))['_id'] as string;
    await scene.ask(bob, 'POST', `/posts/${root}/bookmark`);
    await scene.ask(ada, 'POST', '/users/bob/block');
    // Whom somebody blocked is no secret to them, as their profile is not.
    await scene.ask(bob, 'POST', '/users/dan/block');
    await scene.suspend(cat);
    const link = ({ memberId }: typeof ada, name: string) => `<a href="/social/users/${memberId}">@${name}</a>`;
    const tag = '<a href="/social/hashtag/tea">#tea</a>';
    type Said = { _id: string; mentions: string[]; formattedContent: string; quotedPost?: Said };
    const surfaces = async (who: typeof ada) => {
      const thread = await scene.ask(who, 'GET', `/posts/${root}/thread`);
      const listed = async (path: string): Promise<Said[]> => (await scene.ask(who, 'GET', path)).posts;
      const posts: Said[] = [
        await scene.ask(who, 'GET', `/posts/${root}`),
        await scene.ask(who, 'GET', `/posts/${quote}`),
        (await scene.ask(who, 'GET', `/posts/${quote}`)).quotedPost,
        thread.rootPost,
        ...thread.replies,
        ...(await listed('/timeline/public')),
        ...(await listed('/search?q=tea')),
        ...(await listed('/hashtag/tea')),
        ...(await listed('/users/eve/feed')),
        ...(await listed(`/hubs/${hub}/posts`)),
        ...(await listed('/bookmarks')),
      ];
      expect(new Set(posts.map(({ _id: id }) => id))).toEqual(new Set([root, reply, quote, sealed]));
      return posts;
    };
    for (const { _id, mentions, formattedContent } of await surfaces(bob))
      expect([_id, mentions, formattedContent]).toEqual([
        _id,
        [dan.memberId],
        `@ada @cat ${link(dan, 'dan')} @nobody ${tag}`,
      ]);
    for (const { _id, mentions, formattedContent } of await surfaces(eve))
      expect([_id, mentions, formattedContent]).toEqual([
        _id,
        [ada.memberId, dan.memberId],
        `${link(ada, 'ada')} @cat ${link(dan, 'dan')} @nobody ${tag}`,
      ]);
    // The post itself has kept whom it names.
    await scene.ask(ada, 'DELETE', '/users/bob/block');
    expect((await scene.ask(bob, 'GET', `/posts/${root}`)).mentions).toEqual([ada.memberId, dan.memberId]);
  });
});

describe.each(engines)('check 24, a suspension on %s', (engine) => {
  it('takes posts, replies, reposts and the profile out of everything, and gives them back when it ends', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob] = [
      await scene.house.register({ username: 'ada' }),
      await scene.house.register({ username: 'bob' }),
    ];
    await scene.follow(bob, ada);
    const root = await scene.post(bob, 'Root');
    const id = await scene.post(ada, 'Post #tea', { parentPostId: root });
    const original = await scene.post(ada, 'Original #tea');
    const repost = (await scene.ask(ada, 'POST', `/posts/${root}/repost`))['_id'] as string;
    const quote = (await scene.ask(bob, 'POST', `/posts/${original}/quote`, { commentary: 'Look' }))['_id'] as string;
    const seen = async () => ({
      byId: said(await scene.call(bob, 'GET', `/posts/${id}`)),
      repost: said(await scene.call(bob, 'GET', `/posts/${repost}`)),
      profile: said(await scene.call(bob, 'GET', '/users/ada')),
      feed: said(await scene.call(bob, 'GET', '/users/ada/feed')),
      thread: (await scene.ask(bob, 'GET', `/posts/${root}/thread`)).replyCount,
      quoted: (await scene.ask(bob, 'GET', `/posts/${quote}`)).quotedPost?.['_id'],
      home: (await idsOf(scene, bob, '/timeline/home')).length,
      public: (await idsOf(scene, bob, '/timeline/public?sort=hot')).length,
      tagged: (await idsOf(scene, bob, '/hashtag/tea?sort=top')).length,
      people: (await idsOf(scene, bob, '/users/bob/following')).length,
    });
    const before = await seen();
    expect(before).toMatchObject({ byId: '200 success', thread: 1, quoted: original, home: 5, public: 3, tagged: 2 });
    await scene.suspend(ada);
    expect(await seen()).toEqual({
      byId: '404 POST_NOT_FOUND',
      repost: '404 POST_NOT_FOUND',
      profile: '404 MEMBER_NOT_FOUND',
      feed: '404 MEMBER_NOT_FOUND',
      thread: 0,
      quoted: undefined,
      home: 2,
      public: 2,
      tagged: 0,
      people: 0,
    });
    const operator = { token: await scene.house.operatorToken(), trusted: true, body: {} };
    await scene.house.api('POST', `/api/admin/members/${ada.memberId}/restore`, operator);
    expect(await seen()).toEqual(before);
  });
});

describe.each(engines)('check 9, reports on %s', (engine) => {
  it('are seen and closed by administrators alone, once, and by their reporter as their own', async () => {
    await using scene = await openSocial(engine);
    const [ada, bob, eve] = [await scene.house.register(), await scene.house.register(), await scene.house.register()];
    const chief = await scene.house.administrator();
    const id = await scene.post(ada, 'A secret word');
    const made: string[] = [];
    for (const who of [bob, eve]) {
      // Ids of one millisecond have no order.
      scene.house.clock.advance(1);
      made.push((await scene.ask(who, 'POST', `/posts/${id}/report`, { reason: 'Rude' })).report['_id']);
    }
    const listed = async (who: typeof ada, status = 'pending') =>
      await idsOf(scene, who, withQuery('/posts/reports', { status }), { limit: 1 });
    expect([await listed(chief), await listed(bob), await listed(eve), await listed(ada)]).toEqual([
      made,
      [made[0]],
      [made[1]],
      [],
    ]);
    const close = async (who: typeof ada, report: string, action: string) =>
      said(await scene.call(who, 'POST', `/posts/reports/${report}/review`, { action }));
    for (const who of [ada, bob]) expect(await close(who, made[0]!, 'dismiss')).toBe('404 REPORT_NOT_FOUND');
    expect(await close(chief, 'f'.repeat(32), 'dismiss')).toBe('404 REPORT_NOT_FOUND');
    const answers = await Promise.all(
      ['dismiss', 'action', 'dismiss'].map(async (action) => await close(chief, made[0]!, action)),
    );
    expect(answers.toSorted()).toEqual(['200 success', '400 REPORT_CLOSED', '400 REPORT_CLOSED']);
    expect(await listed(chief)).toEqual([made[1]]);
    expect([...(await listed(bob, 'dismissed')), ...(await listed(bob, 'actioned'))]).toEqual([made[0]]);
    // Whoever lost the role sees no reports any more.
    const operator = { token: await scene.house.operatorToken(), trusted: true, body: {} };
    await scene.house.administrator();
    await scene.house.api('POST', `/api/admin/members/${chief.memberId}/demote`, operator);
    expect(await listed(chief)).toEqual([]);
    expect(await close(chief, made[1]!, 'dismiss')).toBe('404 REPORT_NOT_FOUND');
    // A report that was closed makes room for another one.
    expect(said(await scene.call(bob, 'POST', `/posts/${id}/report`, { reason: 'Again' }))).toBe('200 success');
  });
});

describe.each(engines)('check 13, the role of an administrator on %s', (engine) => {
  it('is asked again in the transaction of each change', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const [bob, chief] = [await house.register({ username: 'bob' }), await house.administrator()];
    await house.administrator();
    const id = await scene.post(bob, 'A word');
    const { report } = await scene.ask(bob, 'POST', `/posts/${id}/report`, { reason: 'Rude' });
    const { _id: hub } = await scene.ask(chief, 'POST', '/hubs', { name: 'Garden' });
    const operator = { token: await house.operatorToken(), trusted: true, body: {} };
    const role = async (change: 'promote' | 'demote') => {
      const answer = await house.api('POST', `/api/admin/members/${chief.memberId}/${change}`, operator);
      expect(answer.status).toBe(200);
    };
    const changes = [
      ['PUT', '/users/bob/verified', { isVerified: true }],
      ['POST', `/posts/reports/${report['_id']}/review`, { action: 'dismiss' }],
      ['POST', '/hubs', { name: 'Other', isDefault: true }],
      ['PUT', `/hubs/${hub}`, { isDefault: true }],
    ] as const;
    for (const [method, path, body] of changes) {
      const came = house.meanwhile(async () => await role('demote'));
      expect([path, said(await scene.call(chief, method, path, body))]).toEqual([path, '403 FORBIDDEN']);
      expect(came()).toBe(true);
      await role('promote');
    }
    const { db } = house.ctx;
    expect(await db.selectFrom('social_hubs').select('is_default').execute()).toEqual([{ is_default: null }]);
    expect(await db.selectFrom('social_reports').select('status').execute()).toEqual([{ status: 'pending' }]);
    expect(await scene.ask(chief, 'GET', '/users/bob')).toMatchObject({ isVerified: false });
  });
});
