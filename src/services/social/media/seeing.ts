import type { Context } from '../../../context.ts';
import type { StoredMedia } from './rows.ts';

/** Whether a member may see a picture, video or sound. Its owner may; others if they may see what has it. */
export async function mediaVisible(_ctx: Context, memberId: string, media: StoredMedia): Promise<boolean> {
  return media.owner_id === memberId;
}
