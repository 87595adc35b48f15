import type { Scene } from '../services/passvault/scene.ts';
import type { Repeatable } from './repeatable-files.ts';

type Counted = 'social_posts' | 'social_likes' | 'social_follows' | 'social_reports';

/** A post of another member, and what the owner does about it. */
async function aboutPost(scene: Scene, what: string, table: Counted, body: object, effects = 1): Promise<Repeatable> {
  const { house } = scene;
  const { token } = await house.register();
  const made = await house.api('POST', '/api/social/posts', { token, body: { content: 'Once' } });
  return { path: `/api/social/posts/${made.body.data['_id']}/${what}`, body, count: countOf(scene, table), effects };
}

function countOf({ house }: Scene, table: Counted): () => Promise<number> {
  return async () => (await house.ctx.db.selectFrom(table).select('created_at').execute()).length;
}

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
  'social.report-post': async (scene) => await aboutPost(scene, 'report', 'social_reports', { reason: 'Once' }),
};
