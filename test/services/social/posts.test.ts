import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openSocial, said } from './scene.ts';

describe.each(engines)('posts on %s', (engine) => {
  it('are written, read, changed for 15 minutes, and deleted', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const id = await scene.post(ada, 'Hello @Bob, see #Tea at https://example.org/x?a=1&b=2 <b>');
    const post = await scene.ask(bob, 'GET', `/posts/${id}`);
    expect(post).toMatchObject({
      _id: id,
      authorId: ada.memberId,
      postType: 'original',
      visibility: 'public',
      mentions: [bob.memberId],
      hashtags: ['Tea'],
      likeCount: 0,
      isEdited: false,
    });
    expect(post.formattedContent).toContain('&lt;b&gt;');
    scene.house.clock.advance(15 * 60 * 1000);
    expect(await scene.ask(ada, 'PUT', `/posts/${id}`, { content: 'Changed #Coffee' })).toMatchObject({
      content: 'Changed #Coffee',
      isEdited: true,
      mentions: [],
      hashtags: ['Coffee'],
    });
    scene.house.clock.advance(1);
    expect(said(await scene.call(ada, 'PUT', `/posts/${id}`, { content: 'Late' }))).toBe('403 EDIT_WINDOW_OVER');
    expect(said(await scene.call(bob, 'DELETE', `/posts/${id}`))).toBe('403 NOT_AUTHOR');
    expect((await scene.call(ada, 'DELETE', `/posts/${id}`)).status).toBe(204);
    expect(said(await scene.call(ada, 'DELETE', `/posts/${id}`))).toBe('400 POST_ALREADY_DELETED');
    expect(said(await scene.call(bob, 'GET', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
  });

  it('are liked, voted on, answered, reposted and quoted, and counted', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const id = await scene.post(ada, 'One');
    await scene.ask(bob, 'POST', `/posts/${id}/like`);
    expect(said(await scene.call(bob, 'POST', `/posts/${id}/like`))).toBe('400 ALREADY_LIKED');
    const reply = await scene.post(bob, 'Two', { parentPostId: id });
    const repost = await scene.ask(bob, 'POST', `/posts/${id}/repost`);
    expect(repost).toMatchObject({ postType: 'repost', quotedPostId: id, quotedPost: { content: 'One' } });
    expect(said(await scene.call(bob, 'POST', `/posts/${id}/repost`))).toBe('400 ALREADY_REPOSTED');
    const quote = await scene.ask(bob, 'POST', `/posts/${id}/quote`, { commentary: 'Three' });
    expect(quote).toMatchObject({ postType: 'quote', quotedPost: { _id: id } });
    expect(await scene.ask(bob, 'POST', `/posts/${id}/upvote`)).toEqual({ upvoteCount: 1, downvoteCount: 0, score: 1 });
    expect(await scene.ask(bob, 'POST', `/posts/${id}/downvote`)).toEqual({
      upvoteCount: 0,
      downvoteCount: 1,
      score: -1,
    });
    expect(await scene.ask(bob, 'GET', `/posts/${id}`)).toMatchObject({
      likeCount: 1,
      replyCount: 1,
      repostCount: 1,
      quoteCount: 1,
      downvoteCount: 1,
      liked: true,
      reposted: true,
      vote: -1,
    });
    expect(await scene.ask(ada, 'GET', `/posts/${reply}/thread`)).toMatchObject({
      rootPost: { _id: id },
      replies: [{ _id: reply, parentPostId: id }],
      replyCount: 1,
      participantCount: 2,
      hasMore: false,
    });
    await scene.ask(ada, 'DELETE', `/posts/${id}`);
    expect(await scene.ask(ada, 'GET', `/posts/${quote['_id']}`)).toMatchObject({ quotedPost: null });
    expect(said(await scene.call(ada, 'GET', `/posts/${repost['_id']}`))).toBe('404 POST_NOT_FOUND');
    expect(await scene.ask(ada, 'GET', `/posts/${reply}/thread`)).toMatchObject({ rootPost: { _id: reply } });
  });

  it('are in the timelines, in every order and page by page', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    await scene.follow(bob, ada);
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.push(await scene.post(ada, `Post ${at} #tea`));
    const [first, second] = ids as [string, string];
    await scene.ask(bob, 'POST', `/posts/${first}/like`);
    await scene.ask(bob, 'POST', `/posts/${second}/like`);
    await scene.ask(ada, 'POST', `/posts/${second}/like`);
    for (const path of ['/timeline/home', '/timeline/public', `/users/ada/feed`, '/hashtag/TEA']) {
      for (const sort of ['new', 'hot', 'top']) {
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const query = `sort=${sort}&limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`;
          const page = await scene.ask(bob, 'GET', `${path}?${query}`);
          found.push(...page.posts.map((post: { _id: string }) => post['_id']));
          cursor = page.cursor;
        } while (cursor !== undefined);
        const rest = ids.slice(2).toReversed();
        const wanted = sort === 'new' ? [...rest, second, first] : [second, first, ...rest];
        expect([path, sort, found]).toEqual([path, sort, wanted]);
      }
    }
  });

  it('of protected members are for followers, and reports for those who review them', async () => {
    await using scene = await openSocial(engine);
    const ada = await scene.house.register({ username: 'ada' });
    const bob = await scene.house.register({ username: 'bob' });
    const chief = await scene.house.administrator();
    const open = await scene.post(ada, 'Before');
    await scene.protect(ada);
    const id = await scene.post(ada, 'For followers');
    for (const hidden of [open, id])
      expect(said(await scene.call(bob, 'GET', `/posts/${hidden}`))).toBe('404 POST_NOT_FOUND');
    expect(said(await scene.call(bob, 'POST', `/posts/${id}/report`, { reason: 'x' }))).toBe('404 POST_NOT_FOUND');
    await scene.follow(bob, ada);
    expect(await scene.ask(bob, 'GET', `/posts/${id}`)).toMatchObject({ visibility: 'followers' });
    const { report } = await scene.ask(bob, 'POST', `/posts/${id}/report`, { reason: 'Rude' });
    expect(said(await scene.call(bob, 'POST', `/posts/${id}/report`, { reason: 'x' }))).toBe('400 ALREADY_REPORTED');
    expect((await scene.ask(ada, 'GET', '/posts/reports')).reports).toEqual([]);
    expect((await scene.ask(chief, 'GET', '/posts/reports')).reports).toEqual([report]);
    const path = `/posts/reports/${report['_id']}/review`;
    expect(said(await scene.call(bob, 'POST', path, { action: 'dismiss' }))).toBe('404 REPORT_NOT_FOUND');
    expect((await scene.call(chief, 'POST', path, { action: 'action' })).body).toMatchObject({
      message: 'Report actioned',
      data: { report: { status: 'actioned' } },
    });
    await scene.ask(ada, 'POST', '/users/bob/block');
    expect(said(await scene.call(bob, 'GET', `/posts/${id}`))).toBe('404 POST_NOT_FOUND');
    expect(said(await scene.call(bob, 'GET', '/users/ada'))).toBe('404 MEMBER_NOT_FOUND');
  });
});
