import type { Scene } from '../services/passvault/scene.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import type { Request } from './file-lists.ts';

const orders = ['sort=new', 'sort=hot', 'sort=top', 'sort=top&topWindow=day'];
const ordered = (path: string): Request[] => orders.map((order) => ({ path: `/api/social${path}?${order}` }));

/** The lists of the social network. */
export const socialLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'social.home': () => [...ordered('/timeline/home'), { path: '/api/social/timeline/home?excludeMuted=false' }],
  'social.public': () => ordered('/timeline/public'),
  'social.user-feed': ({ owner }) => ordered(`/users/${owner.memberId}/feed`),
  'social.hashtag': () => ordered('/hashtag/tea'),
  'social.followers': ({ owner }) => [{ path: `/api/social/users/${owner.memberId}/followers` }],
  'social.following': ({ owner }) => [{ path: `/api/social/users/${owner.memberId}/following` }],
  'social.follow-requests': () => [{ path: '/api/social/follow-requests' }],
  'social.blocks': () => [{ path: '/api/social/blocks' }],
  'social.mutes': () => [{ path: '/api/social/mutes' }],
  'social.reports': () => [
    { path: '/api/social/posts/reports' },
    { path: '/api/social/posts/reports?status=dismissed' },
  ],
};

/** So that each of them has a second page. */
export async function fillSocial({ house, owner }: Scene): Promise<void> {
  const ask = async (who: HouseMember, method: 'POST' | 'PUT', path: string, body: object = {}) => {
    house.clock.advance(1);
    const answer = await house.api(method, `/api/social${path}`, { token: who.token, body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const pair = async () => [await house.register(), await house.register()];
  const whom = (who: HouseMember, what: string) => `/users/${who.memberId}/${what}`;
  const posts: string[] = [];
  for (const content of ['First #tea', 'Second #tea', 'Third #tea'])
    posts.push((await ask(owner, 'POST', '/posts', { content }))._id as string);
  // The newest posts of home have a quote and a repost among them.
  const [first, second] = posts as [string, string];
  await ask(owner, 'POST', `/posts/${first}/quote`, { commentary: 'Fourth #tea' });
  await ask(owner, 'POST', `/posts/${second}/repost`);
  for (const who of await pair()) {
    await ask(who, 'POST', whom(owner, 'follow'));
    await ask(owner, 'POST', whom(who, 'follow'));
    await ask(owner, 'POST', whom(who, 'mute'));
    await ask(who, 'POST', `/posts/${first}/like`);
    for (const post of [first, second]) {
      const { report } = await ask(who, 'POST', `/posts/${post}/report`, { reason: 'Rude' });
      if (post === second) await ask(owner, 'POST', `/posts/reports/${report._id}/review`, { action: 'dismiss' });
    }
  }
  for (const who of await pair()) await ask(owner, 'POST', whom(who, 'block'));
  await ask(owner, 'PUT', `/users/${owner.memberId}`, { approveFollowersMode: 'approve_all' });
  for (const who of await pair()) await ask(who, 'POST', whom(owner, 'follow'));
}
