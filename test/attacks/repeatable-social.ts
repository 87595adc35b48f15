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
