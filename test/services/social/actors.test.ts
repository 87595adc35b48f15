import { describe, expect, it } from 'vitest';
import { notifications } from '../../../src/contract/notifications.ts';
import { social } from '../../../src/contract/social.ts';
import { actorFieldsOf } from '../../../src/http/input.ts';
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
  it('is the member of the token: another one in a field of the actor is refused, and nothing happens', async () => {
    await using scene = await openSocial(engine);
    const { ada, bob, eve } = await cast(scene);
    const id = await scene.post(ada, 'Mine');
    const { _id: hub } = await scene.ask(ada, 'POST', '/hubs', { name: 'Garden' });
    const known: Record<string, string> = { postId: id, hubId: hub, userId: bob.memberId, tag: 'tea' };
    const body = {
      name: 'More',
      content: 'x',
      commentary: 'x',
      reason: 'x',
      message: 'x',
      bio: 'x',
      postId: id,
      targetConversationId: id,
      emoji: '👍',
      role: 'member',
      action: 'dismiss',
      duration: '1h',
      targetId: bob.memberId,
      targetUserId: bob.memberId,
      newOwnerId: bob.memberId,
      durationDays: 1,
      password: 'x',
      userIds: [bob.memberId],
      start: '22:00',
      end: '07:00',
      timezone: 'UTC',
      enabled: true,
    };
    const called: string[] = [];
    for (const op of [...Object.values(social), ...Object.values(notifications)])
      for (const field of actorFieldsOf(op)) {
        called.push(`${op.id} ${field}`);
        const ofPath = (name: string): string =>
          known[name] ?? (op.path.startsWith('/hubs') ? hub : op.path.startsWith('/users') ? bob.memberId : id);
        const path = op.path.replaceAll(/:(\w+)/g, (_, name: string) => ofPath(name));
        const other = actorFieldsOf(op).includes('userId') ? {} : { userId: bob.memberId };
        const answer = async (token: string | undefined, actor: string) =>
          await scene.house.api(op.method, `${path}${op.method === 'GET' ? `?q=tea&${field}=${actor}` : ''}`, {
            token,
            ...(op.method !== 'GET' && { body: { ...body, ...other, [field]: actor } }),
          });
        const refused = await answer(ada.token, eve.memberId);
        expect([op.id, said(refused), refused.body.error.message]).toEqual([
          op.id,
          '403 FORBIDDEN',
          // Whoever has not the role is told nothing of fields.
          typeof op.auth === 'object' ? 'Your role does not allow this.' : `${field}: must be the member of the token`,
        ]);
        expect([op.id, (await answer(undefined, ada.memberId)).status]).toEqual([op.id, 401]);
      }
    expect(called.length).toBeGreaterThan(40);
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
