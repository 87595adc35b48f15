import { segmentsOf } from '../../../platform/store/search/segments.ts';

/** A cluster has no largest size, so bytes are bounded too: sixteen a cluster, four of the largest code points, on the average of a text. */
const bytesPerGrapheme = 16;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of characters as people count them (grapheme clusters), or `most + 1` if there are more than `most` or too many bytes. */
export function graphemesOf(content: string, most: number): number {
  if (Buffer.byteLength(content) > most * bytesPerGrapheme) return most + 1;
  let count = 0;
  for (const _ of segmentsOf(segmenter, content)) {
    count += 1;
    if (count > most) break;
  }
  return count;
}
