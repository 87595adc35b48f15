/** East Asian wide and fullwidth blocks (Unicode Annex 11), and pictures that terminals draw two columns wide. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;
const ascii = /^[\u0020-\u007e]*$/;

/** Made when it is first needed, which is in few answers: making one takes longer than what it does. */
let segmenter: Intl.Segmenter | undefined;

/** Columns that a terminal gives to text without control characters. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  for (let at = 0; at < text.length; at += 1) {
    const width = widthAlone(text.charCodeAt(at));
    if (width === undefined) return Array.from(units(text)).reduce((sum, unit) => sum + unit.width, 0);
    columns += width;
  }
  return columns;
}

/** The beginning of a text that fits into a number of columns, with an ellipsis where something is left off. */
export function fit(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  for (const unit of units(text)) {
    width += unit.width;
    if (width > columns - 1) return `${text.slice(0, unit.start)}…`;
  }
  return text;
}

interface Unit {
  readonly start: number;
  readonly width: number;
}

/** What a terminal draws one after another. Only what can be joined is segmented, which takes a hundred times as long as the rest. */
function* units(text: string): Generator<Unit> {
  for (let at = 0; at < text.length;) {
    const width = widthAlone(text.charCodeAt(at));
    let end = at + 1;
    // A character that says its width may still be drawn otherwise by one after it that doesn't.
    while (end < text.length && widthAlone(text.charCodeAt(end)) === undefined) end += 1;
    if (width !== undefined && end === at + 1) yield { start: at, width };
    else yield* graphemes(text.slice(at, end), at);
    at = end;
  }
}

function* graphemes(text: string, from: number): Generator<Unit> {
  segmenter ??= new Intl.Segmenter();
  for (const { segment, index } of segmenter.segment(text))
    yield { start: from + index, width: graphemeWidth(segment) };
}

/** Columns of a character that says so by itself; undefined for all others, which have to be segmented. */
function widthAlone(code: number): 0 | 1 | 2 | undefined {
  if (code < 0x300) return code >= 0x20 && code !== 0xa9 && code !== 0xad && code !== 0xae ? 1 : undefined;
  // Combining diacritical marks stand on whatever is before them.
  if (code < 0x370) return 0;
  // Greek and Cyrillic without their marks, Armenian letters; dashes, quotation marks and the ellipsis.
  if ((code >= 0x370 && code < 0x483) || (code >= 0x48a && code < 0x58b) || (code >= 0x2010 && code < 0x2028)) return 1;
  // Kana without their marks, Han.
  if (code >= 0x3041 && code < 0x3097) return 2;
  if (code >= 0x30a1 && code < 0x30fb) return 2;
  return (code >= 0x3400 && code < 0x4dc0) || (code >= 0x4e00 && code < 0xa000) ? 2 : undefined;
}

function graphemeWidth(grapheme: string): number {
  const alone = grapheme.length === 1 ? widthAlone(grapheme.charCodeAt(0)) : undefined;
  if (alone !== undefined) return alone;
  if (wide.test(grapheme)) return 2;
  return /^\p{Mark}/u.test(grapheme) ? 0 : 1;
}
