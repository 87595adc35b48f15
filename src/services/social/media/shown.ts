import type { UploadedMedia } from '../../../contract/social/media.ts';
import type { MediaType } from '../../../contract/social/media/limits.ts';
import type { MediaAttachment } from '../../../contract/social/post.ts';
import type { StoredMedia } from './rows.ts';

export function shownMedia(
  row: Omit<StoredMedia, 'node_key' | 'expires_at' | 'created_at' | 'owner_id'>,
): MediaAttachment {
  return {
    _id: row.id,
    url: mediaUrl(row.id),
    mimeType: row.mime_type as MediaType,
    size: row.size,
    width: row.width,
    height: row.height,
    altText: row.alt_text,
    sensitive: row.sensitive === 1,
  };
}

/** The path of a picture, video or sound. Whoever asks for it is asked for the right to see it. */
export function mediaUrl(id: string): string {
  return `/api/social/media/${id}`;
}

export function shownUpload(row: StoredMedia, expiresAt: number): UploadedMedia {
  return { ...shownMedia(row), expiresAt: new Date(expiresAt).toISOString() };
}
