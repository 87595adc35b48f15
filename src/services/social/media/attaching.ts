import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { mediaLimits } from '../../../contract/social/media/limits.ts';
import type { AttachedUpload } from '../../../contract/social/posts.ts';
import type { MediaAttachment } from '../../../contract/social/post.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { dropMedia } from './dropping.ts';
import type { StoredMedia } from './rows.ts';
import { shownMedia } from './shown.ts';

// The statement that takes an upload also compares: of two posts that want it at the same time, one gets it.
const take = writtenQuery<StoredMedia>(`
  update social_media set expires_at = null
  where id = $1 and owner_id = $2 and expires_at > $3 and mime_type is not null
  returning *`);

const withoutAltTexts = writtenList(0, (ids) => `update social_media set alt_text = '' where id in ${ids}`);

/**
 * Gives uploads to a post, in the transaction that writes it.
 * @param uploads own ones that wait, in the order in which they are shown
 * @param isSealed whether their alternative texts are in the post, and stay nowhere else
 * @throws Problem invalid INVALID_MEDIA (the same for what others have and what nobody has), TOO_MANY_ATTACHMENTS
 */
export async function attachMedia(
  tx: Context,
  actor: Pick<Actor, 'memberId'>,
  postId: string,
  uploads: readonly AttachedUpload[],
  isSealed = false,
): Promise<MediaAttachment[]> {
  if (uploads.length > mediaLimits.attachments) {
    const message = `must be at most ${mediaLimits.attachments}`;
    throw fieldProblem('mediaAttachments', message, { code: 'TOO_MANY_ATTACHMENTS' });
  }
  const taken: StoredMedia[] = [];
  for (const upload of uploads) {
    const row = await takeUpload(tx, actor, idOf(upload), 'mediaAttachments');
    taken.push({ ...row, alt_text: upload.altText || row.alt_text });
  }
  const rows = taken.map(({ id, alt_text, sensitive }, position) => {
    return { post_id: postId, position, media_id: id, alt_text: isSealed ? '' : alt_text, sensitive };
  });
  if (isSealed && taken.length > 0) await tx.db.executeQuery(withoutAltTexts(taken.map(({ id }) => id)));
  await insertRows(tx.db, 'social_post_media', rows);
  return taken.map(shownMedia);
}

function idOf({ _id: id, url = '' }: AttachedUpload): string {
  return id ?? idInUrl(url);
}

/** The url of an upload ends with its id. */
export function idInUrl(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/**
 * Gives a picture to a profile, and deletes the one that it had, in the transaction that changes the profile.
 * @param field of the input that names it
 * @throws Problem invalid INVALID_MEDIA, also for what is no picture
 */
export async function replacePicture(
  tx: Context,
  actor: Pick<Actor, 'memberId'>,
  field: string,
  { before, after }: { readonly before: string | null; readonly after: string | null },
): Promise<void> {
  if (before === after) return;
  if (after !== null && !(await takeUpload(tx, actor, after, field)).mime_type.startsWith('image/'))
    throw invalid(field);
  if (before !== null) await dropMedia(tx, (await tx.db.executeQuery(byIds([before]))).rows);
}

async function takeUpload(
  tx: Context,
  { memberId }: Pick<Actor, 'memberId'>,
  id: string,
  field: string,
): Promise<StoredMedia> {
  const { rows } = await tx.db.executeQuery(take(id, memberId, tx.clock.now()));
  const [row] = rows;
  if (row === undefined) throw invalid(field);
  return row;
}

function invalid(field: string): Problem {
  const sentence = `${field}: There is no such upload of yours that can be attached. Upload it again.`;
  return fieldProblem(field, 'must be own uploads that wait', { code: 'INVALID_MEDIA', sentence });
}

const byIds = writtenList<StoredMedia>(0, (ids) => `select * from social_media where id in ${ids}`);
const ofPosts = writtenList<{ media_id: string }>(
  0,
  (ids) => `delete from social_post_media where post_id in ${ids} returning media_id`,
);

/** Deletes what posts have, in the transaction that deletes them. */
export async function releaseMedia(tx: Context, postIds: readonly string[]): Promise<void> {
  if (postIds.length === 0) return;
  const { rows } = await tx.db.executeQuery(ofPosts(postIds));
  if (rows.length > 0) await dropMedia(tx, (await tx.db.executeQuery(byIds(rows.map((row) => row.media_id)))).rows);
}

const shownOfPosts = writtenList<StoredMedia & { readonly post_id: string }>(
  0,
  (ids) => `
    select p.post_id, p.alt_text, p.sensitive, m.id, m.mime_type, m.size, m.width, m.height
    from social_post_media p join social_media m on m.id = p.media_id
    where p.post_id in ${ids} order by p.post_id, p.position`,
);

/** What posts have, in their order, by the id of the post. Whoever asks has made sure that the reader may see the posts. */
export async function mediaOfPosts(
  { db }: Pick<Context, 'db'>,
  postIds: readonly string[],
): Promise<Map<string, MediaAttachment[]>> {
  const found = new Map<string, MediaAttachment[]>();
  if (postIds.length === 0) return found;
  const { rows } = await db.executeQuery(shownOfPosts(postIds));
  for (const row of rows) {
    const shown = found.get(row.post_id) ?? [];
    found.set(row.post_id, [...shown, shownMedia(row)]);
  }
  return found;
}
