import type { Context } from '../../service/context.ts';
import { purgeArchives } from './archive/archives.ts';
import { purgeMedia } from './media/purge.ts';
import { planLikeNotices } from './posts/like-notices.ts';

export async function purgeSocial(ctx: Context): Promise<void> {
  await purgeMedia(ctx);
  await purgeArchives(ctx);
  // The job that tells of likes, if it gave up.
  await planLikeNotices(ctx);
}
