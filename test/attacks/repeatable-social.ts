import type { Scene } from '../services/passvault/scene.ts';
import { sample } from '../services/filevault/pictures.ts';
import type { Repeatable } from './repeatable-files.ts';

type Counted =
  | 'social_posts'
  | 'social_likes'
  | 'social_follows'
  | 'social_reports'
  | 'social_hubs'
  | 'social_media'
  | 'social_lists'
  | 'social_bookmarks'
  | 'social_filters'
  | 'room_log'
  | 'social_imports'
  | 'social_archives'
  | 'room_members'
  | 'member_blocks'
  | 'member_mutes'
  | 'push_subscriptions';

/** A post of another member, and what the owner does about it. */
async function aboutPost(scene: Scene, what: string, table: Counted, body: object, effects = 1): Promise<Repeatable> {
  const { house } = scene;
  const { token } = await house.register();
  const made = await house.api('POST', '/api/social/posts', { token, body: { content: 'Once' } });
  return { path: `/api/social/posts/${made.body.data['_id']}/${what}`, body, count: countOf(scene, table), effects };
}

async function ofOwner(scene: Scene, path: string, table: Counted, body: object): Promise<Repeatable> {
  return { path: `/api/social${path}`, body, count: countOf(scene, table), effects: 1 };
}

/** Another member, and what the owner does about them. */
async function aboutMember(scene: Scene, what: string, table: Counted, body: object): Promise<Repeatable> {
  const { memberId } = await scene.house.register();
  return { path: `/api/social/users/${memberId}/${what}`, body, count: countOf(scene, table), effects: 1 };
}

/** A hub of the owner with a member, and what the owner does about the member. Each deed is in the log once. */
async function inHub(scene: Scene, what: string, body: object): Promise<Repeatable> {
  const { house, owner } = scene;
  const hub = await house.api('POST', '/api/social/hubs', { token: owner.token, body: { name: 'Once' } });
  const path = `/api/social/hubs/${hub.body.data['_id']}`;
  const { token, memberId } = await house.register();
  if (what !== 'members') await house.api('POST', `${path}/join`, { token, body: {} });
  const about = what === 'members' ? { userIds: [memberId] } : { userId: memberId };
  return { path: `${path}/${what}`, body: { ...about, ...body }, count: countOf(scene, 'room_log'), effects: 1 };
}

function countOf({ house }: Scene, table: Counted): () => Promise<number> {
  return async () => (await house.ctx.db.selectFrom(table).selectAll().execute()).length;
}

/** With the keys of RFC 8291, appendix A. */
const subscription = {
  endpoint: 'https://8.8.8.8/once',
  keys: {
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  },
};

/** The operations of the social network. */
export const repeatableSocial: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'social.follow': async (scene) => {
    const { memberId } = await scene.house.register();
    return {
      path: `/api/social/users/${memberId}/follow`,
      body: {},
      count: countOf(scene, 'social_follows'),
      effects: 1,
    };
  },
  'social.block': async (scene) => await aboutMember(scene, 'block', 'member_blocks', {}),
  'social.mute': async (scene) => await aboutMember(scene, 'mute', 'member_mutes', { duration: '1h' }),
  'social.warn-member': async (scene) => await inHub(scene, 'warn', { reason: 'Once' }),
  'social.ban-member': async (scene) => await inHub(scene, 'ban', {}),
  'social.ban-for-days': async (scene) => await inHub(scene, 'temp-ban', { durationDays: 1, reason: 'Once' }),
  'social.add-moderator': async (scene) => await inHub(scene, 'moderators', {}),
  'social.add-hub-members': async (scene) => await inHub(scene, 'members', {}),
  'social.join-hub': async (scene) => {
    const { token } = await scene.house.register();
    const hub = await scene.house.api('POST', '/api/social/hubs', { token, body: { name: 'Once' } });
    return {
      path: `/api/social/hubs/${hub.body.data['_id']}/join`,
      body: {},
      count: countOf(scene, 'room_members'),
      effects: 2,
    };
  },
  'social.create-archive': async (scene) => await ofOwner(scene, '/archive', 'social_archives', {}),
  'social.import': async (scene) => ({
    path: '/api/social/import/follows',
    rawBody: 'once\r\n',
    contentType: 'text/csv',
    count: countOf(scene, 'social_imports'),
    effects: 1,
  }),
  'social.create-post': async (scene) => ({
    path: '/api/social/posts',
    body: { content: 'Once #tea' },
    count: countOf(scene, 'social_posts'),
    effects: 1,
  }),
  'social.like': async (scene) => await aboutPost(scene, 'like', 'social_likes', {}),
  'social.repost': async (scene) => await aboutPost(scene, 'repost', 'social_posts', {}, 2),
  'social.quote': async (scene) => await aboutPost(scene, 'quote', 'social_posts', { commentary: 'Once' }, 2),
  'social.create-hub': async (scene) => await ofOwner(scene, '/hubs', 'social_hubs', { name: 'Once' }),
  'social.upload-media': async (scene) => ({
    path: '/api/social/media',
    rawBody: Uint8Array.from(sample('lossyWebp')),
    count: countOf(scene, 'social_media'),
    effects: 1,
  }),
  'social.create-list': async (scene) => await ofOwner(scene, '/lists', 'social_lists', { name: 'Once' }),
  'social.create-category': async (scene) => await ofOwner(scene, '/categories', 'social_lists', { name: 'Once' }),
  'social.create-filter': async (scene) => await ofOwner(scene, '/filters', 'social_filters', { phrase: 'once' }),
  'social.bookmark': async (scene) => await aboutPost(scene, 'bookmark', 'social_bookmarks', {}),
  'social.join': async (scene) => {
    const { house, owner } = scene;
    await house.ctx.db.deleteFrom('social_profiles').where('member_id', '=', owner.memberId).execute();
    const { db } = house.ctx;
    const count = async () =>
      (await db.selectFrom('social_profiles').select('member_id').where('member_id', '=', owner.memberId).execute())
        .length;
    return { path: '/api/social/users', body: {}, count, effects: 1 };
  },
  'notifications.add-push-subscription': async (scene) =>
    await ofOwner(scene, '/notifications/push-subscriptions', 'push_subscriptions', subscription),
  'social.report-post': async (scene) => await aboutPost(scene, 'report', 'social_reports', { reason: 'Once' }),
};
