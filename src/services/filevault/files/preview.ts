import type { Download } from '../../../service/raw-bodies.ts';

/**
 * Media types that a browser may show. None of them can run anything: SVG, HTML and XML can, so they are saved instead. What a file is
 * called is what its owner says, and `nosniff` keeps the browser from guessing otherwise.
 */
const shown: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'video/ogg',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'audio/flac',
  'application/pdf',
]);

/** Types that are text to read. They are all shown as plain text. */
const readable: ReadonlySet<string> = new Set(['text/plain', 'text/csv', 'text/markdown', 'application/json']);

/** Beside the headers of every answer. A page that is shown in spite of all this has no origin, and runs nothing. */
const guards = { 'content-security-policy': "default-src 'none'; sandbox" } as const;

/** How a file is previewed, by the media type that its owner gave it. */
export function previewOf(mimeType: string): Pick<Download, 'type' | 'inline' | 'headers'> {
  const type = mimeType.split(';', 1)[0]?.trim() ?? '';
  if (shown.has(type)) return { type, inline: true, headers: guards };
  if (readable.has(type)) return { type: 'text/plain; charset=utf-8', inline: true, headers: guards };
  return { type: 'application/octet-stream', headers: guards };
}
