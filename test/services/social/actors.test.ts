import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

async function cast(scene: SocialScene): Promise<Record<'ada' | 'bob' | 'eve', HouseMember>> {
  const [ada, bob, eve] = [
    await scene.house.register({ username: 'ada' }),
    await scene.house.register({ username: 'bob' }),
    await scene.house.register({ username: 'eve' }),
  ];
  return { ada, bob, eve };
}

describe.each(engines)('check 1, who acts on %s', (engine) => {
  const actorFields = [
    ['GET', '/users/bob?requesterId=', ''],
    ['PUT', '/users/ada', 'userId'],
    ['POST', '/users/bob/follow', 'followerId'],
    ['DELETE', '/users/bob/follow', 'followerId'],
    ['POST', '/users/bob/block', 'userId'],
    ['DELETE', '/users/bob/block', 'userId'],
    ['GET', '/timeline/home?userId=', ''],
    ['GET', '/timeline/public?userId=', ''],
    ['GET', '/users/bob/feed?requestingUserId=', ''],
    ['GET', '/hashtag/tea?userId=', ''],
    ['POST', '/posts', 'authorId'],
    ['PUT', '/posts/:post', 'userId'],
    ['DELETE', '/posts/:post', 'userId'],
    ['POST', '/posts/:post/like', 'userId'],
    ['DELETE', '/posts/:post/like', 'userId'],
    ['POST', '/posts/:post/repost', 'userId'],
    ['POST', '/posts/:post/quote', 'userId'],
    ['POST', '/posts/:post/report', 'userId'],
    ['POST', '/posts/:post/upvote', 'userId'],
    ['POST', '/posts/:post/downvote', 'userId'],
    ['DELETE', '/posts/:post/vote', 'userId'],
    ['POST', '/posts/reports/:post/review', 'reviewerId'],
  ] as const;

  it('is the member of the token: another one in a field of the actor is refused, and nothing happens', async () => {
    await using scene = await openSocial(engine);
    const { ada, eve } = await cast(scene);
    const id = await scene.post(ada, 'Mine');
    for (const [method, path, field] of actorFields) {
      const real = path.replace(':post', id);
      const body = { content: 'x', commentary: 'x', reason: 'x', action: 'dismiss', bio: 'x' };
      const answer = async (token: string | undefined, actor: string) =>
        await scene.house.api(method, `/api/social${real}${field === '' ? actor : ''}`, {
          token,
          ...(field !== '' && { body: { ...body, [field]: actor } }),
        });
      expect([path, said(await answer(ada.token, eve.memberId))]).toEqual([path, '403 FORBIDDEN']);
      expect([path, (await answer(undefined, ada.memberId)).status]).toEqual([path, 401]);
    }
    expect(await scene.ask(eve, 'GET', `/posts/${id}`)).toMatchObject({
      content: 'Mine',
      likeCount: 0,
      repostCount: 0,
    });
    expect(await scene.ask(eve, 'GET', '/users/eve')).toMatchObject({ postCount: 0, followingCount: 0, bio: '' });
    expect((await scene.ask(ada, 'GET', `/users/bob?requesterId=${ada.memberId}`)).username).toBe('bob');
  });

  it('is a member: the operator of the node has no place here', async () => {
    await using scene = await openSocial(engine);
    const { ada } = await cast(scene);
    const id = await scene.post(ada, 'Mine');
    const token = await scene.house.operatorToken();
    const act = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string) => {
      const body = { content: 'x', commentary: 'x', reason: 'x' };
      const options = { token, trusted: true, ...(method !== 'GET' && { body }) };
      return said(await scene.house.api(method, `/api/social${path}`, options));
    };
    const writing = [
      ['PUT', '/users/ada'],
      ['POST', '/users/ada/follow'],
      ['DELETE', '/users/ada/follow'],
      ['DELETE', '/users/ada/follower'],
      ['POST', '/users/ada/block'],
      ['DELETE', '/users/ada/block'],
      ['POST', '/users/ada/mute'],
      ['DELETE', '/users/ada/mute'],
      ['POST', '/follow-requests/ada/approve'],
      ['POST', '/follow-requests/ada/reject'],
      ['POST', '/posts'],
      ['PUT', `/posts/${id}`],
      ['DELETE', `/posts/${id}`],
      ['POST', `/posts/${id}/like`],
      ['DELETE', `/posts/${id}/like`],
      ['POST', `/posts/${id}/repost`],
      ['POST', `/posts/${id}/quote`],
      ['POST', `/posts/${id}/report`],
      ['POST', `/posts/${id}/upvote`],
      ['POST', `/posts/${id}/downvote`],
      ['DELETE', `/posts/${id}/vote`],
    ] as const;
    for (const [method, path] of writing)
      expect([method, path, await act(method, path)]).toEqual([method, path, '403 FORBIDDEN']);
    for (const path of ['/posts/reports', '/timeline/public', '/users/ada', `/posts/${id}`, '/blocks'])
      expect([path, await act('GET', path)]).toEqual([path, '403 FORBIDDEN']);
  });
});
