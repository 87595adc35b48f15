import * as v from 'valibot';
import { operation, rawOperation, uploadOperation } from '../operation.ts';
import { paragraph, recordId, timestamp, trueOrFalse } from '../text.ts';
import { mediaLimits, mediaTypes } from './media/limits.ts';
import { mediaAttachment } from './post.ts';

const root = '/api/social/media';
const one = `${root}/:mediaId`;

export const altText = v.pipe(
  paragraph(mediaLimits.altText),
  v.description('describes it for members who do not see or hear it'),
);

/** An upload that waits, as its owner sees it. */
const uploadedMedia = v.object({
  ...mediaAttachment.entries,
  expiresAt: v.pipe(timestamp, v.description('when it is deleted, unless a post or profile has it')),
});
export type UploadedMedia = v.InferOutput<typeof uploadedMedia>;

/** Pictures, videos and sounds of posts and profiles, prefix `/api/social/media`. */
export const media = {
  uploadMedia: uploadOperation({
    id: 'social.upload-media',
    method: 'POST',
    path: root,
    envelope: 'social',
    auth: 'member',
    summary: 'Upload a picture, video or sound for a post or profile',
    description:
      `JPEG, PNG, GIF or WebP of at most 16 MiB; MP4, WebM, MP3 or Ogg of at most 100 MiB. The content decides what it is, and not \`Content-Type\`. ` +
      `Metadata is removed, such as the place where it was taken. It waits ${mediaLimits.waitingHours} hours to be attached, and only you see it until then. ` +
      'Without `Content-Length` it needs room for 100 MiB in the storage quota while it arrives.',
    input: v.object({
      altText: v.optional(altText, ''),
      sensitive: v.optional(
        v.pipe(
          trueOrFalse,
          v.transform((text) => text === 'true'),
        ),
        'false',
      ),
    }),
    reply: uploadedMedia,
    status: 201,
    message: 'Media uploaded',
    errors: ['FORBIDDEN', 'STORAGE_QUOTA_EXCEEDED', 'MEDIA_DAMAGED', 'MEDIA_TOO_LARGE', 'MEDIA_FULL', 'OVERLOADED'],
    limit: { name: 'socialMedia' },
    accepts: ['*/*'],
    digest: true,
    maxBody: mediaLimits.streamBytes,
  }),
  showMedia: rawOperation({
    id: 'social.media',
    method: 'GET',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Show a picture, video or sound',
    description:
      'You may see it if you may see a post or profile with it. An upload that waits is for its owner alone.',
    input: v.object({ mediaId: recordId }),
    status: 200,
    errors: ['MEDIA_NOT_FOUND'],
    accepts: [],
    produces: mediaTypes,
    ranges: true,
  }),
  updateMedia: operation({
    id: 'social.update-media',
    method: 'PUT',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Describe an upload',
    description: 'While it waits to be attached. Fields that are left out stay.',
    input: v.object({
      mediaId: recordId,
      altText: v.optional(altText),
      sensitive: v.optional(v.boolean('must be true or false')),
    }),
    reply: uploadedMedia,
    status: 200,
    message: 'Media updated',
    errors: ['MEDIA_NOT_FOUND', 'MEDIA_ATTACHED'],
  }),
  deleteMedia: operation({
    id: 'social.delete-media',
    method: 'DELETE',
    path: one,
    envelope: 'social',
    auth: 'member',
    summary: 'Delete an upload',
    description: 'While it waits to be attached. What posts have is deleted with them.',
    input: v.object({ mediaId: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Media deleted',
    errors: ['MEDIA_NOT_FOUND', 'MEDIA_ATTACHED'],
  }),
};
