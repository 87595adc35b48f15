import type { Context } from '../../service/context.ts';
import { eachStep } from '../../service/sweep.ts';
import { purgeArchives } from './archive/archives.ts';
import { purgeMedia } from './media/purge.ts';
import { planLikeNotices } from './posts/like-notices.ts';

export async function purgeSocial(ctx: Context): Promise<void> {
  await eachStep([
    async () => await purgeMedia(ctx),
    async () => await purgeArchives(ctx),
    // The job that tells of likes, if it gave up.
    async () => await planLikeNotices(ctx),
  ]);
}
