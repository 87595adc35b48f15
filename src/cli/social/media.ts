import { Flags } from '@oclif/core';
import { basename } from 'node:path';
import { upload } from '../../client/bodies.ts';
import type { Caller } from '../../client/perform.ts';
import type { UploadedMedia } from '../../contract/social/media.ts';
import { mediaLimits } from '../../contract/social/media/limits.ts';
import { social } from '../../contract/social.ts';
import { Problem } from '../../base/problem.ts';
import { contentOfFile, sizeOfFile } from '../kit/body-files.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { details } from '../kit/table.ts';
import type { Terminal } from '../kit/terminal.ts';
import { waitFor } from '../kit/waiting.ts';

const repeated = { multiple: true, multipleNonGreedy: true } as const;

/** Files that go with a post, and their descriptions in the same order. */
export const mediaFlags = {
  media: Flags.string({ description: 'picture, video or sound; at most 4', helpValue: 'FILE', ...repeated }),
  alt: Flags.string({ description: 'what the media show, in their order', helpValue: 'TEXT', ...repeated }),
};

export interface MediaFile {
  readonly file: string;
  readonly altText?: string | undefined;
  readonly sensitive?: boolean;
}

/** @throws Problem invalid USAGE if there are more descriptions than files, or too many files */
export function mediaFiles({
  media = [],
  alt = [],
}: {
  readonly media?: readonly string[] | undefined;
  readonly alt?: readonly string[] | undefined;
}): MediaFile[] {
  if (media.length > mediaLimits.attachments)
    throw new Problem('invalid', 'USAGE', `A post has at most ${mediaLimits.attachments} media.`);
  if (alt.length > media.length)
    throw new Problem('invalid', 'USAGE', 'There are more descriptions (--alt) than media (--media).');
  return media.map((file, at) => ({ file, altText: alt[at] }));
}

/**
 * Uploads files for a post, in their order. All are checked before the first is sent, and each is read from the disk while it is sent.
 * @throws Problem invalid INPUT_UNREADABLE, tooLarge MEDIA_TOO_LARGE, and what the server answers
 */
export async function uploadMedia(
  terminal: Terminal,
  caller: Caller,
  files: readonly MediaFile[],
): Promise<UploadedMedia[]> {
  for (const { file } of files) await assertSendable(file);
  const uploaded: UploadedMedia[] = [];
  for (const { file, altText, sensitive = false } of files) {
    const name = basename(file);
    uploaded.push(
      await waitFor(terminal, `Sending ${name}`, async ({ report }) => {
        const content = await contentOfFile(terminal, file, 'application/octet-stream');
        const onProgress = (done: number, total: number): void => report({ what: name, done, total, unit: 'bytes' });
        const input = { ...(altText !== undefined && { altText }), ...(sensitive && { sensitive: 'true' as const }) };
        return await upload(caller, social.uploadMedia, input, content, { onProgress });
      }),
    );
  }
  return uploaded;
}

/** @throws Problem invalid INPUT_UNREADABLE, tooLarge MEDIA_TOO_LARGE */
export async function assertSendable(file: string): Promise<void> {
  if (file === '-') return;
  const size = await sizeOfFile(file);
  if (size <= mediaLimits.streamBytes) return;
  throw new Problem('tooLarge', 'MEDIA_TOO_LARGE', `${file} is larger than 100 MiB, the limit of a video or sound.`);
}

/** What an upload became. */
export function mediaText(screen: Screen, media: UploadedMedia): string {
  return details(screen, [
    ['Type', media.mimeType],
    ['Size', bytes(media.size)],
    ...(media.width > 0 ? [['Pixels', `${media.width} x ${media.height}`] as const] : []),
    ...(media.altText === '' ? [] : [['Description', media.altText] as const]),
    ['Waits until', moment(screen, media.expiresAt)],
    ['Id', media['_id']],
  ]);
}
