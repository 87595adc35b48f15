import { contentTypeOf } from '../content-type.ts';
import type { Cleaner } from './cleaner.ts';
import { cleanMp3 } from './mp3.ts';
import { cleanMp4 } from './mp4.ts';
import { cleanOgg } from './ogg.ts';
import { cleanWebm } from './webm.ts';

/** Bytes that the check needs. */
export const SNIFFED_BYTES = 64;

const pictures: ReadonlySet<string | undefined> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Brands of `ftyp` that are no MP4: QuickTime allows what no rule here knows, and the others are pictures. */
const otherBrands: ReadonlySet<string> = new Set([
  'qt  ',
  'avif',
  'avis',
  'heic',
  'heix',
  'hevc',
  'mif1',
  'msf1',
  'jxl ',
  'crx ',
]);

/**
 * How a file is handled, by its first bytes: as a picture, or by a cleaner for video or sound; undefined for everything else. What it is
 * called plays no part.
 */
export function handlingOf(first: Buffer): 'picture' | Cleaner | undefined {
  const type = contentTypeOf(first);
  if (pictures.has(type)) return 'picture';
  if (first.toString('latin1', 4, 8) === 'ftyp')
    return otherBrands.has(first.toString('latin1', 8, 12)) ? undefined : cleanMp4;
  if (type === 'video/webm') return cleanWebm;
  if (type === 'audio/ogg') return cleanOgg;
  // MPEG layer III without notes before it begins with a frame, which the cleaner checks.
  return type === 'audio/mpeg' || (first[0] === 0xff && ((first[1] ?? 0) & 0xe6) === 0xe2) ? cleanMp3 : undefined;
}
