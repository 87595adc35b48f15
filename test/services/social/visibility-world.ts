import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import { openSocial, type SocialScene } from './scene.ts';

/** Who asks. A guest has no token. */
export const viewers = [
  'anonymous',
  'suspended',
  'stranger',
  'administrator',
  'follower',
  'requester',
  'blocked',
  'blocker',
  'hub member',
  'banned',
  'former member',
  'newcomer',
  'author',
] as const;
export type Viewer = (typeof viewers)[number];

/** Posts that differ in who may see them. Each has an author of its own. */
export const kinds = [
  'public',
  'protected',
  'protected later',
  'in a hub',
  'in an encrypted hub',
  'deleted',
  'of a suspended author',
] as const;
export type Kind = (typeof kinds)[number];

/** One post, and what others made of it. */
export interface Made {
  readonly author: HouseMember;
  /** stands in the text of the post, and nowhere else */
  readonly word: string;
  readonly id: string;
  /** where the post is, and what is said about it */
  readonly hub?: string | undefined;
  /** whether the hub is encrypted, so that no index has its posts */
  readonly isSealed: boolean;
  /** by the author too: a reply to the post `above` of the friend, with the word */
  readonly answer: string;
  readonly above: string;
  /** of a friend, whom everybody may see */
  readonly repost: string;
  readonly quote: string;
  readonly reply: string;
}

export interface World extends AsyncDisposable {
  readonly scene: SocialScene;
  readonly friend: HouseMember;
  readonly made: Readonly<Record<Kind, Made>>;
  /** undefined: nobody is signed in */
  tokenOf(viewer: Viewer, kind: Kind): string | undefined;
}

export const tag = 'seen';

interface WorldOptions extends HouseOptions {
  /** media of the post of an author */
  readonly attach?: (scene: SocialScene, author: HouseMember) => Promise<readonly object[]>;
  /** what a viewer does before anybody is hidden or suspended, and before posts of others are written */
  readonly signedIn?: (scene: SocialScene, viewer: HouseMember) => Promise<void>;
}

/** Members in every relation to the authors of the posts, who wrote before others were blocked or banned, or they themselves suspended. */
export async function openWorld(
  engine: EngineName,
  { attach, signedIn, ...options }: WorldOptions = {},
): Promise<World> {
  const scene = await openSocial(engine, options);
  const { house } = scene;
  const friend = await house.register({ username: 'friend' });
  const people = {
    suspended: await house.register({ username: 'suspended' }),
    stranger: await house.register({ username: 'stranger' }),
    administrator: await house.administrator('administrator'),
    follower: await house.register({ username: 'follower' }),
    requester: await house.register({ username: 'requester' }),
    blocked: await house.register({ username: 'blocked' }),
    blocker: await house.register({ username: 'blocker' }),
    'hub member': await house.register({ username: 'hub-member' }),
    banned: await house.register({ username: 'hub-banned' }),
    'former member': await house.register({ username: 'hub-former' }),
    // of the hub, after everything was written
    newcomer: await house.register({ username: 'hub-newcomer' }),
  };
  for (const who of Object.values(people)) {
    await scene.follow(who, friend);
    await signedIn?.(scene, who);
  }
  const names = Object.values(people).map(({ username }) => `@${username}`);

  const openHub = async (author: HouseMember, trustTier: string): Promise<string> => {
    const hub = (await scene.ask(author, 'POST', '/hubs', { name: 'The hub', trustTier }))['_id'] as string;
    const { blocked, blocker, banned } = people;
    for (const who of [friend, blocked, blocker, banned, people['hub member'], people['former member']])
      await scene.ask(who, 'POST', `/hubs/${hub}/join`, {});
    return hub;
  };
  const make = async (at: number): Promise<Made> => {
    const author = await house.register({ username: `author-${at}` });
    const word = `word${at}x`;
    await signedIn?.(scene, author);
    const isProtected = kinds[at] === 'protected';
    if (isProtected) await scene.protect(author);
    for (const who of [friend, people.follower, people.blocked, people.blocker, people.suspended])
      await scene.follow(who, author);
    const isSealed = kinds[at] === 'in an encrypted hub';
    const tier = isSealed ? 'encrypted' : kinds[at] === 'in a hub' ? 'open' : undefined;
    const hub = tier === undefined ? undefined : await openHub(author, tier);
    const place = hub === undefined ? {} : { hubIds: [hub] };
    const above = await scene.post(friend, 'Above', place);
    const media = await attach?.(scene, author);
    const id = await scene.post(author, `${word} #${tag} ${names.join(' ')}`, {
      ...place,
      ...(media !== undefined && { mediaAttachments: media }),
    });
    const answer = await scene.post(author, `${word} #${tag}`, { parentPostId: above });
    await runDueJobs(scene, 'notifications');
    house.clock.advance(1);
    const repost = (await scene.ask(friend, 'POST', `/posts/${id}/repost`))['_id'] as string;
    const quote = (await scene.ask(friend, 'POST', `/posts/${id}/quote`, { commentary: 'Quote #quoted' }))[
      '_id'
    ] as string;
    const reply = await scene.post(friend, 'Reply', { parentPostId: id });
    await scene.ask(friend, 'POST', `/posts/${id}/report`, { reason: 'Reported' });
    await scene.ask(author, 'POST', `/users/blocked/block`);
    await scene.ask(people.blocker, 'POST', `/users/${author.memberId}/block`);
    if (kinds[at] === 'protected later') await scene.protect(author);
    if (hub !== undefined) {
      await scene.ask(author, 'POST', `/hubs/${hub}/ban`, { userId: people.banned.memberId });
      await scene.ask(people['former member'], 'POST', `/hubs/${hub}/leave`, {});
      await scene.ask(people.newcomer, 'POST', `/hubs/${hub}/join`, {});
    }
    if (kinds[at] === 'deleted') for (const gone of [id, answer]) await scene.ask(author, 'DELETE', `/posts/${gone}`);
    if (kinds[at] === 'of a suspended author') await scene.suspend(author);
    if (kinds[at] !== 'of a suspended author')
      await scene.ask(people.requester, 'POST', `/users/${author.memberId}/follow`, {});
    return { author, word, id, hub, isSealed, answer, above, repost, quote, reply };
  };
  const made: Partial<Record<Kind, Made>> = {};
  for (const [at, kind] of kinds.entries()) made[kind] = await make(at);
  await scene.suspend(people.suspended);
  const all = made as Record<Kind, Made>;

  return {
    scene,
    friend,
    made: all,
    tokenOf: (viewer, kind) => {
      if (viewer === 'anonymous') return undefined;
      return viewer === 'author' ? all[kind].author.token : people[viewer].token;
    },
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
}
