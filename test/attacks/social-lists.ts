import type { Scene } from '../services/passvault/scene.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import type { Request } from './file-lists.ts';

const at = (...paths: readonly string[]): Request[] => paths.map((path) => ({ path: `/api/social${path}` }));

interface Made {
  readonly hub: string;
  readonly list: string;
  readonly category: string;
  /** a post with replies */
  readonly post: string;
}

/** What was made in each scene, for lists below one thing. */
const made = new WeakMap<Scene, Made>();

function below(scene: Scene, what: keyof Made, path: (id: string) => string): Request[] {
  const ids = made.get(scene);
  return ids === undefined ? [] : at(path(ids[what]));
}

/** The lists of the social network. */
export const socialLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  // Their other orders and windows have a test of their own.
  'social.home': () => at('/timeline/home', '/timeline/home?sort=hot'),
  'social.public': () => at('/timeline/public', '/timeline/public?sort=top'),
  'social.user-feed': ({ owner }) => at(`/users/${owner.memberId}/feed?sort=hot`),
  'social.hashtag': () => at('/hashtag/tea?sort=top&topWindow=day'),
  'social.thread': (scene) => below(scene, 'post', (id) => `/posts/${id}/thread`),
  'social.followers': ({ owner }) => at(`/users/${owner.memberId}/followers`),
  'social.following': ({ owner }) => at(`/users/${owner.memberId}/following`),
  'social.follow-requests': () => at('/follow-requests'),
  'social.blocks': () => at('/blocks'),
  'social.mutes': () => at('/mutes'),
  'social.bookmarks': () => at('/bookmarks'),
  'social.filters': () => at('/filters'),
  'social.lists': () => at('/lists'),
  'social.list-members': (scene) => below(scene, 'list', (id) => `/lists/${id}/members`),
  'social.categories': () => at('/categories'),
  'social.category-members': (scene) => below(scene, 'category', (id) => `/categories/${id}/members`),
  'social.hubs': () => at('/hubs'),
  'social.explore-hubs': () => at('/hubs/explore?sort=new'),
  'social.hub-members': (scene) => below(scene, 'hub', (id) => `/hubs/${id}/members-list`),
  'social.hub-posts': (scene) => below(scene, 'hub', (id) => `/hubs/${id}/posts?sort=hot`),
  'social.banned': (scene) => below(scene, 'hub', (id) => `/hubs/${id}/banned`),
  'social.moderation-log': (scene) => below(scene, 'hub', (id) => `/hubs/${id}/moderation-log`),
  'social.search': () => at('/search?q=tea', '/search?q=te*'),
  'social.reports': () => at('/posts/reports', '/posts/reports?status=dismissed'),
};

/** So that each of them has a second page. */
export async function fillSocial(scene: Scene): Promise<void> {
  const { house, owner } = scene;
  const ask = async (who: HouseMember, method: 'POST' | 'PUT', path: string, body: object = {}) => {
    house.clock.advance(1);
    const answer = await house.api(method, `/api/social${path}`, { token: who.token, body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const pair = async () => [await house.register(), await house.register()];
  const whom = (who: HouseMember, what: string) => `/users/${who.memberId}/${what}`;
  const friends = await pair();
  const hub = (await ask(owner, 'POST', '/hubs', { name: 'Tea' }))['_id'] as string;
  await ask(owner, 'POST', '/hubs', { name: 'Coffee' });
  for (const who of friends) await ask(who, 'POST', `/hubs/${hub}/join`);
  for (const content of ['In the hub', 'Too']) await ask(owner, 'POST', '/posts', { content, hubIds: [hub] });
  for (const who of await pair()) {
    await ask(who, 'POST', `/hubs/${hub}/join`);
    await ask(owner, 'POST', `/hubs/${hub}/ban`, { userId: who.memberId });
  }
  const { _id: subject } = await ask(friends[0]!, 'POST', '/posts', { content: 'Zeroth' });
  for (const content of ['Yes', 'No']) await ask(owner, 'POST', '/posts', { content, parentPostId: subject });
  const posts: string[] = [];
  // Quotes, because a page with one of them costs one statement more than a page without.
  for (const commentary of ['First #tea', 'Second #tea', 'Third #tea'])
    posts.push((await ask(owner, 'POST', `/posts/${subject}/quote`, { commentary }))['_id'] as string);
  const [first, second] = posts as [string, string];
  for (const who of friends) {
    await ask(who, 'POST', whom(owner, 'follow'));
    await ask(owner, 'POST', whom(who, 'follow'));
    await ask(who, 'POST', `/posts/${first}/like`);
    for (const post of [first, second]) {
      const { report } = await ask(who, 'POST', `/posts/${post}/report`, { reason: 'Rude' });
      if (post === second) await ask(owner, 'POST', `/posts/reports/${report['_id']}/review`, { action: 'dismiss' });
    }
  }
  for (const who of await pair()) await ask(owner, 'POST', whom(who, 'block'));
  await ask(owner, 'PUT', `/users/${owner.memberId}`, { approveFollowersMode: 'approve_all' });
  for (const who of await pair()) {
    await ask(who, 'POST', whom(owner, 'follow'));
    await ask(owner, 'POST', whom(who, 'mute'));
  }
  for (const post of [first, second]) await ask(owner, 'POST', `/posts/${post}/bookmark`);
  for (const phrase of ['coffee', 'milk']) await ask(owner, 'POST', '/filters', { phrase });
  const named: Record<'lists' | 'categories', string[]> = { lists: [], categories: [] };
  for (const [kind, ids] of Object.entries(named)) {
    for (const name of ['First', 'Second']) {
      const answer = await ask(owner, 'POST', `/${kind}`, { name });
      ids.push((answer.list ?? answer.category)['_id'] as string);
    }
    const userIds = friends.map(({ memberId }) => memberId);
    await ask(owner, 'POST', `/${kind}/${ids[0]}/members`, { userIds });
  }
  made.set(scene, { hub, post: subject, list: named.lists[0]!, category: named.categories[0]! });
}
