import type { Context } from '../../context.ts';
import { purgeArchives } from './archive/archives.ts';
import { purgeMedia } from './media/purge.ts';

export async function purgeSocial(ctx: Context): Promise<void> {
  await purgeMedia(ctx);
  await purgeArchives(ctx);
}
