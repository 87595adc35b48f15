import { describe, expect, it } from 'vitest';
import { bothEngines, engines } from '../../support/stores.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openHubs, said, type HubScene } from './hub-scene.ts';

type Four = [HouseMember, HouseMember, HouseMember, HouseMember];

/** Requests about posts, below /api/social. */
function posting({ house }: HubScene) {
  const call = async (who: HouseMember, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
    house.clock.advance(1);
    return await house.api(method, `/api/social${path}`, {
      token: who.token,
      ...(method !== 'GET' && { body: body ?? {} }),
    });
  };
  return {
    call,
    write: async (who: HouseMember, content: string, more: object = {}) =>
      await call(who, 'POST', '/posts', { content, ...more }),
    /** the id of a new post in hubs */
    wrote: async (who: HouseMember, content: string, hubIds: readonly string[]): Promise<string> => {
      const answer = await call(who, 'POST', '/posts', { content, hubIds });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      const { _id: id } = answer.body.data;
      return id;
    },
    sees: async (who: HouseMember, id: string) => (await call(who, 'GET', `/posts/${id}`)).status === 200,
    feed: async (who: HouseMember, hub: string, query = ''): Promise<string[]> => {
      const { body } = await call(who, 'GET', `/hubs/${hub}/posts${query}`);
      return body.data.posts.map(({ content }: { content: string }) => content);
    },
  };
}

describe.each(engines)('posts in hubs on %s', (engine) => {
  it('are written by members, and seen by members of one of the hubs', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const [one, other] = [await scene.hub(ada, [bob]), await scene.hub(ada, [cyd])];
    const { write, wrote, sees, feed } = posting(scene);
    const both = await wrote(ada, 'Both', [one.id, other.id]);
    const first = await wrote(bob, 'First', [one.id]);
    expect(await feed(bob, one.id)).toEqual(['First', 'Both']);
    expect(await feed(cyd, other.slug)).toEqual(['Both']);
    expect(await feed(dan, one.id)).toEqual([]);
    for (const [who, seen] of [
      [ada, [true, true]],
      [bob, [true, true]],
      [cyd, [true, false]],
      [dan, [false, false]],
    ] as const)
      expect([await sees(who, both), await sees(who, first)]).toEqual(seen);
    expect((await scene.ask(dan, 'GET', `/${one.id}`)).hub.postCount).toBe(2);
    expect(said(await write(dan, 'X', { hubIds: [one.id] }))).toBe('403 FORBIDDEN');
    expect(said(await write(bob, 'X', { hubIds: [one.id, other.id] }))).toBe('403 FORBIDDEN');
    expect(said(await write(bob, 'X', { hubIds: ['ab'.repeat(16)] }))).toBe('404 HUB_NOT_FOUND');
    expect(said(await write(bob, 'X', { hubIds: Array(6).fill(one.id) }))).toBe('400 VALIDATION_ERROR');
    expect(said(await write(bob, 'a'.repeat(281)))).toBe('400 POST_TOO_LONG');
    expect(said(await write(bob, 'a'.repeat(10_000), { hubIds: [one.id] }))).toBe('201 success');
    expect(said(await write(bob, 'a'.repeat(10_001), { hubIds: [one.id] }))).toBe('400 POST_TOO_LONG');
  });

  it('check 3: are seen no more by who left, was removed or banned, nor in a deleted hub', async () => {
    await using scene = await openHubs(engine, 5);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const eve = scene.people[4]!;
    const hub = await scene.hub(ada, [bob, cyd, dan, eve]);
    const { call, wrote, sees, feed } = posting(scene);
    const id = await wrote(ada, 'Inside', [hub.id]);
    const own = await wrote(bob, 'Mine', [hub.id]);
    for (const who of [bob, cyd, dan, eve]) expect(await sees(who, id)).toBe(true);
    // A page that was begun by a member.
    const { data: began } = (await call(bob, 'GET', `/hubs/${hub.id}/posts?limit=1`)).body;
    expect([began.hasMore, began.posts.length]).toEqual([true, 1]);
    await scene.ask(bob, 'POST', `/${hub.id}/leave`);
    await scene.ask(ada, 'DELETE', `/${hub.id}/members`, { userIds: [cyd.memberId] });
    await scene.ask(ada, 'POST', `/${hub.id}/ban`, { userId: dan.memberId });
    for (const who of [bob, cyd, dan]) {
      expect(await sees(who, id)).toBe(false);
      expect(said(await call(who, 'POST', `/posts/${id}/like`))).toBe('404 POST_NOT_FOUND');
      expect(said(await call(who, 'POST', '/posts', { content: 'X', parentPostId: id }))).toBe('404 POST_NOT_FOUND');
    }
    expect([await feed(bob, hub.id), await feed(cyd, hub.id)]).toEqual([[], []]);
    const next = async (path: string, cursor: string) =>
      (await call(bob, 'GET', `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`)).body.data;
    expect(await next(`/hubs/${hub.id}/posts`, began.cursor)).toEqual({ posts: [], hasMore: false });
    expect(said(await call(dan, 'GET', `/hubs/${hub.id}/posts`))).toBe('403 BANNED_FROM_HUB');
    // What one wrote stays one's own, but is no way to speak there.
    expect(await sees(bob, own)).toBe(true);
    expect(said(await call(bob, 'POST', '/posts', { content: 'X', parentPostId: own }))).toBe('403 FORBIDDEN');
    expect(await sees(eve, id)).toBe(true);
    await scene.ask(ada, 'DELETE', `/${hub.id}`);
    expect([await sees(eve, id), await sees(ada, id)]).toEqual([false, true]);
    expect(said(await call(eve, 'GET', `/hubs/${hub.id}/posts`))).toBe('404 HUB_NOT_FOUND');
  });

  it('check 11: are answered only in those of their hubs in which one may post', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const [one, other] = [await scene.hub(ada, [bob, cyd]), await scene.hub(ada, [bob, dan])];
    const { write, wrote, call, sees } = posting(scene);
    const id = await wrote(ada, 'Both', [one.id, other.id]);
    await scene.ask(ada, 'POST', `/${other.id}/ban`, { userId: bob.memberId });
    for (const [path, body] of [
      ['/posts', { content: 'Reply', parentPostId: id }],
      [`/posts/${id}/quote`, { commentary: 'Quote' }],
      [`/posts/${id}/repost`, {}],
    ] as const) {
      const { body: answer } = await call(bob, 'POST', path, body);
      expect(answer.data).toMatchObject({ visibility: 'hub', hubIds: [one.id] });
      const { _id: made } = answer.data;
      expect([await sees(cyd, made), await sees(dan, made)]).toEqual([true, false]);
    }
    const wider = await write(ada, 'X', { parentPostId: id, hubIds: [(await scene.hub(ada)).id] });
    expect(said(wider)).toBe('400 VALIDATION_ERROR');
    expect((await write(ada, 'X', { parentPostId: id, hubIds: [one.id] })).body.data.hubIds).toEqual([one.id]);
    // None is as good as not named.
    expect((await write(bob, 'X', { parentPostId: id, hubIds: [] })).body.data?.hubIds).toEqual([one.id]);
    const open = (await write(ada, 'Public')).body.data;
    const { _id: openId } = open;
    expect(said(await write(ada, 'X', { parentPostId: openId, hubIds: [one.id] }))).toBe('400 VALIDATION_ERROR');
  });

  it('name to each reader the hubs that the reader is in, and to their author all', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const [one, other] = [await scene.hub(ada, [bob, cyd]), await scene.hub(ada, [bob, dan])];
    const { write, wrote, call } = posting(scene);
    const id = await wrote(bob, 'Both', [one.id, other.id]);
    const named = async (who: HouseMember): Promise<string[]> =>
      (await call(who, 'GET', `/posts/${id}`)).body.data.hubIds;
    const both = [one.id, other.id].toSorted();
    expect([await named(ada), await named(bob)]).toEqual([both, both]);
    expect([await named(cyd), await named(dan)]).toEqual([[one.id], [other.id]]);
    // Nobody finds out by trying, either: it is as with a hub that the post is not in.
    const strange = await scene.hub(ada);
    const tries = [other.id, strange.id].map(async (hubId) => [
      await write(cyd, 'X', { parentPostId: id, hubIds: [hubId] }),
      await call(cyd, 'POST', `/posts/${id}/report`, { reason: 'spam', hubId }),
    ]);
    for (const answers of await Promise.all(tries))
      expect(answers.map(said)).toEqual(['400 VALIDATION_ERROR', '404 POST_NOT_FOUND']);
    await scene.ask(ada, 'POST', `/${other.id}/ban`, { userId: bob.memberId });
    expect([await named(ada), await named(bob)]).toEqual([both, both]);
    expect((await write(bob, 'X', { parentPostId: id })).body.data.hubIds).toEqual([one.id]);
  });

  it('need a verified identity in hubs of that tier', async () => {
    await using scene = await openHubs(engine, 2);
    const [ada, bob] = scene.people as Four;
    const hub = await scene.hub(ada, [bob], { trustTier: 'verified' });
    const { write } = posting(scene);
    expect(said(await write(bob, 'X', { hubIds: [hub.id] }))).toBe('403 FORBIDDEN');
    const administrator = await scene.house.administrator();
    await scene.house.api('PUT', `/api/social/users/${bob.memberId}/verified`, {
      token: administrator.token,
      body: { isVerified: true },
    });
    expect(said(await write(bob, 'X', { hubIds: [hub.id] }))).toBe('201 success');
  });

  it('are in the feed of the hub in every order, page by page', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const hub = await scene.hub(ada, [bob, cyd, dan]);
    const { call, wrote, write, feed } = posting(scene);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      ids.push(await wrote(ada, name, [hub.id]));
      scene.house.clock.advance(60_000);
    }
    const [a, b, c, , e] = ids as [string, string, string, string, string];
    await write(bob, 'a reply', { parentPostId: a });
    for (const who of [bob, cyd, dan]) await call(who, 'POST', `/posts/${b}/like`);
    await call(bob, 'POST', `/posts/${e}/like`);
    await call(bob, 'POST', `/posts/${c}/upvote`);
    await call(cyd, 'POST', `/posts/${c}/downvote`);
    await call(bob, 'POST', `/posts/${a}/upvote`);
    const orders = {
      new: ['e', 'd', 'c', 'b', 'a'],
      top: ['b', 'e', 'a', 'd', 'c'],
      hot: ['b', 'e', 'a', 'd', 'c'],
      controversial: ['c', 'a', 'e', 'd', 'b'],
    };
    for (const [sort, contents] of Object.entries(orders)) {
      expect(await feed(dan, hub.id, `?sort=${sort}`), sort).toEqual(contents);
      const walked: string[] = [];
      let cursor = '';
      do {
        const { body } = await call(dan, 'GET', `/hubs/${hub.id}/posts?sort=${sort}&limit=2${cursor}`);
        walked.push(...body.data.posts.map(({ content }: { content: string }) => content));
        cursor = body.data.hasMore === true ? `&cursor=${body.data.cursor}` : '';
      } while (cursor !== '');
      expect(walked, sort).toEqual(contents);
    }
    scene.house.clock.advance(2 * 3_600_000);
    expect(await feed(dan, hub.id, '?sort=top&topWindow=day')).toHaveLength(5);
    scene.house.clock.advance(86_400_000);
    const later = { ...dan, token: await scene.house.signIn(dan) };
    expect(await feed(later, hub.id, '?sort=top&topWindow=day')).toEqual([]);
    await scene.house.api('POST', `/api/social/users/${ada.memberId}/block`, { token: later.token, body: {} });
    expect(await feed(later, hub.id)).toEqual([]);
  });

  it('are taken out by moderators, and stay with their author and in other hubs', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const [hub, other] = [await scene.hub(ada, [bob, cyd, dan]), await scene.hub(ada, [cyd])];
    await scene.ask(ada, 'POST', `/${hub.id}/moderators`, { userId: bob.memberId });
    const { wrote, sees, call } = posting(scene);
    const both = await wrote(cyd, 'Both', [hub.id, other.id]);
    const ofOwner = await wrote(ada, 'Owner', [hub.id]);
    await call(dan, 'POST', `/posts/${both}/upvote`);
    const take = async (who: HouseMember, postId: string) =>
      await scene.call(who, 'POST', `/${hub.id}/remove-post`, { postId });
    expect(said(await take(dan, both))).toBe('403 FORBIDDEN');
    expect(said(await take(cyd, both))).toBe('403 FORBIDDEN');
    expect(said(await take(bob, ofOwner))).toBe('403 FORBIDDEN');
    expect(said(await take(bob, 'ab'.repeat(16)))).toBe('404 POST_NOT_FOUND');
    // Bob is in none of the hubs where it stays.
    expect((await take(bob, both)).body.data).toEqual({ postId: both, hubIds: [] });
    expect(said(await take(bob, both))).toBe('404 POST_NOT_FOUND');
    expect([await sees(dan, both), await sees(bob, both), await sees(ada, both), await sees(cyd, both)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect((await call(cyd, 'GET', `/posts/${both}`)).body.data.hubIds).toEqual([other.id]);
    const { entries } = await scene.ask(ada, 'GET', `/${hub.id}/moderation-log?action=remove_post`);
    expect(entries).toEqual([
      expect.objectContaining({ postId: both, userId: cyd.memberId, moderatorId: bob.memberId }),
    ]);
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.postCount).toBe(1);
    await call(ada, 'DELETE', `/posts/${ofOwner}`);
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.postCount).toBe(0);
  });

  it('check 9: are reported to the moderators of their hub, and to nobody else', async () => {
    await using scene = await openHubs(engine, 5);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const eve = scene.people[4]!;
    const [hub, other] = [await scene.hub(ada, [bob, cyd]), await scene.hub(dan, [cyd])];
    await scene.ask(ada, 'POST', `/${hub.id}/moderators`, { userId: bob.memberId });
    const { wrote, call } = posting(scene);
    const id = await wrote(cyd, 'Both', [hub.id, other.id]);
    expect(said(await call(eve, 'POST', `/posts/${id}/report`, { reason: 'X' }))).toBe('404 POST_NOT_FOUND');
    // Somebody who knows of both hubs says for whom the report is; who knows of one means that.
    const unclear = await call(cyd, 'POST', `/posts/${id}/report`, { reason: 'Rude' });
    expect([said(unclear), unclear.body.error.message]).toEqual([
      '400 VALIDATION_ERROR',
      expect.stringMatching(/^hubId: /),
    ]);
    const made = await call(ada, 'POST', `/posts/${id}/report`, { reason: 'Rude' });
    expect(made.body.data.report).toMatchObject({ hubId: hub.id });
    const { _id: reportId } = made.body.data.report;
    const reports = async (who: HouseMember) => (await call(who, 'GET', '/posts/reports')).body.data.reports.length;
    expect([await reports(bob), await reports(dan), await reports(cyd), await reports(eve)]).toEqual([1, 0, 0, 0]);
    const review = async (who: HouseMember) =>
      await call(who, 'POST', `/posts/reports/${reportId}/review`, { action: 'action' });
    for (const who of [dan, cyd, eve]) expect(said(await review(who))).toBe('404 REPORT_NOT_FOUND');
    await scene.ask(ada, 'DELETE', `/${hub.id}/moderators`, { userId: bob.memberId });
    expect([await reports(bob), said(await review(bob))]).toEqual([0, '404 REPORT_NOT_FOUND']);
    expect((await review(ada)).body.data.report).toMatchObject({ status: 'actioned', reviewedBy: ada.memberId });
  });

  it('are counted by others only if all their readers see them', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const [one, other] = [await scene.hub(ada, [bob, cyd]), await scene.hub(ada, [cyd, dan])];
    const { write, wrote, call } = posting(scene);
    const id = await wrote(ada, 'Both', [one.id, other.id]);
    const counts = async (who: HouseMember) => {
      const { replyCount, repostCount, quoteCount } = (await call(who, 'GET', `/posts/${id}`)).body.data;
      return [replyCount, repostCount, quoteCount];
    };
    const about = [
      ['/posts', { content: 'Reply', parentPostId: id }],
      [`/posts/${id}/repost`, {}],
      [`/posts/${id}/quote`, { commentary: 'Quote' }],
    ] as const;
    const made: { who: HouseMember; postId: string }[] = [];
    const answer = async (who: HouseMember) => {
      for (const [path, body] of about) {
        const { _id: postId } = (await call(who, 'POST', path, body)).body.data;
        made.push({ who, postId });
      }
    };
    await answer(bob);
    expect([await counts(dan), await counts(bob)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    await answer(cyd);
    expect(await counts(dan)).toEqual([1, 1, 1]);
    // From then on those who are in the hub alone see none of them.
    for (const { postId } of made)
      expect(said(await scene.call(ada, 'POST', `/${one.id}/remove-post`, { postId }))).toBe('200 success');
    expect(await counts(dan)).toEqual([0, 0, 0]);
    for (const { who, postId } of made) expect((await call(who, 'DELETE', `/posts/${postId}`)).status).toBe(204);
    expect(await counts(dan)).toEqual([0, 0, 0]);
    // A post that is in one of the hubs no more counts what is in the other one.
    const last = (await write(cyd, 'Reply', { parentPostId: id })).body.data;
    await scene.ask(ada, 'POST', `/${one.id}/remove-post`, { postId: id });
    const { _id: postId } = last;
    await scene.ask(ada, 'POST', `/${one.id}/remove-post`, { postId });
    expect(await counts(dan)).toEqual([1, 0, 0]);
    await scene.ask(ada, 'POST', `/${other.id}/remove-post`, { postId });
    expect(await counts(dan)).toEqual([0, 0, 0]);
    const again = await wrote(ada, 'Both', [one.id, other.id]);
    await scene.ask(ada, 'DELETE', `/${one.id}`);
    await write(dan, 'Reply', { parentPostId: again });
    expect((await call(cyd, 'GET', `/posts/${again}`)).body.data.replyCount).toBe(1);
  });

  it('make a leaderboard of the members with votes', async () => {
    await using scene = await openHubs(engine, 5);
    const [ada, bob, cyd, dan] = scene.people as Four;
    const hub = await scene.hub(ada, [bob, cyd]);
    const { wrote, call } = posting(scene);
    const best = await wrote(bob, 'Best', [hub.id]);
    const worse = await wrote(cyd, 'Worse', [hub.id]);
    await wrote(ada, 'Plain', [hub.id]);
    await wrote(ada, 'Plain', [hub.id]);
    await call(ada, 'POST', `/posts/${best}/upvote`);
    await call(cyd, 'POST', `/posts/${best}/upvote`);
    await call(bob, 'POST', `/posts/${worse}/upvote`);
    await call(bob, 'POST', `/posts/${worse}/downvote`);
    const board = async (who: HouseMember) =>
      (await scene.ask(who, 'GET', `/${hub.id}/leaderboard`)).leaderboard.map(
        (one: { username: string; score: number; postCount: number; upvotesReceived: number }) =>
          [one.username, one.score, one.postCount, one.upvotesReceived] as const,
      );
    expect(await board(ada)).toEqual([
      [bob.username, 2, 1, 2],
      [ada.username, 0, 2, 0],
      [cyd.username, -1, 1, 0],
    ]);
    expect(said(await scene.call(dan, 'GET', `/${hub.id}/leaderboard`))).toBe('403 FORBIDDEN');
    await call(cyd, 'DELETE', `/posts/${best}/vote`);
    expect((await board(ada))[0]).toEqual([bob.username, 1, 1, 1]);
    await call(bob, 'DELETE', `/posts/${best}`);
    await scene.ask(cyd, 'POST', `/${hub.id}/leave`);
    expect(await board(ada)).toEqual([[ada.username, 0, 2, 0]]);
  });
});

describe.each(bothEngines)('posts in hubs that change at once on %s', (engine) => {
  it('are counted right when many write and delete at once', { tags: 'thorough' }, async () => {
    await using scene = await openHubs(engine, 6);
    const [ada, ...others] = scene.people as [HouseMember, ...HouseMember[]];
    const hub = await scene.hub(ada, others);
    const { wrote, call } = posting(scene);
    const ids = await Promise.all(
      others.flatMap((who) => [1, 2, 3].map(async (n) => [who, await wrote(who, `${n}`, [hub.id])] as const)),
    );
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.postCount).toBe(15);
    await Promise.all([
      ...ids.slice(0, 10).map(async ([who, id]) => await call(who, 'DELETE', `/posts/${id}`)),
      ...ids.slice(10).map(async ([, id]) => await call(ada, 'POST', `/posts/${id}/upvote`)),
    ]);
    expect((await scene.ask(ada, 'GET', `/${hub.id}`)).hub.postCount).toBe(5);
    const { leaderboard } = await scene.ask(ada, 'GET', `/${hub.id}/leaderboard`);
    const total = leaderboard.reduce((sum: number, { score }: { score: number }) => sum + score, 0);
    expect(total).toBe(5);
  });
});
