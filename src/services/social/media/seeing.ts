import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { requirePerson } from '../people/found.ts';
import { seen } from '../seeing/posts.ts';
import type { StoredMedia } from './rows.ts';

const ofPost = writtenQuery(`
  select 1 from social_posts p join social_post_media a on a.post_id = p.id
  where ${seen('p')} and a.media_id = $2 limit 1`);

const ofProfile = writtenQuery(
  'select 1 from social_profiles where member_id = $1 and (picture_id = $2 or header_id = $2)',
);

const ofGroup = writtenQuery(`
  select 1 from conversations c
  join room_members r on r.kind = 'conversation' and r.room_id = c.id and r.member_id = $1
  where c.picture_id = $2`);

/** Whether a member may see a picture, video or sound: its owner, who may see a post or profile with it, and who is in a group with it. */
export async function mediaVisible(
  ctx: Context,
  memberId: string,
  { id, owner_id: ownerId, expires_at: expiresAt }: StoredMedia,
): Promise<boolean> {
  if (ownerId === memberId) return true;
  if (expiresAt !== null) return false;
  if ((await ctx.db.executeQuery(ofPost(memberId, id))).rows.length > 0) return true;
  if ((await ctx.db.executeQuery(ofGroup(memberId, id))).rows.length > 0) return true;
  if ((await ctx.db.executeQuery(ofProfile(ownerId, id))).rows.length === 0) return false;
  try {
    await requirePerson(ctx, { memberId }, ownerId);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'MEMBER_NOT_FOUND') return false;
    throw error;
  }
}
