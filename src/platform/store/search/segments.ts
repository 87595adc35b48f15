/** Code units that are looked at together. The time that `Intl.Segmenter` takes grows faster than its text. */
const PIECE = 512;
/** What comes behind a segment may change it, and by a dictionary also the ones before it. */
const LEFT = 4;

/**
 * The segments of a text of any length, in a time that grows as the text does. The last ones of a piece are left for the next piece, which
 * begins with them, and segments that are longer than a piece are looked at in a larger one.
 */
export function* segmentsOf(segmenter: Intl.Segmenter, text: string): Generator<string> {
  let from = 0;
  let size = PIECE;
  while (from < text.length) {
    const end = wholeEnd(text, from + size);
    const found = Array.from(segmenter.segment(text.slice(from, end)), ({ segment }) => segment);
    const certain = end === text.length ? found : found.slice(0, -LEFT);
    for (const segment of certain) {
      yield segment;
      from += segment.length;
    }
    size = certain.length === 0 ? size * 2 : PIECE;
  }
}

/** An end that doesn't part the two halves of a code point. */
function wholeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}
