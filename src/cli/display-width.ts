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
    if (width === undefined) return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
    columns += width;
  }
  return columns;
}

/** The beginning of a text that fits into a number of columns, with an ellipsis where something is left off. */
export function fit(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  for (let at = 0; at < text.length; at += 1) {
    const alone = widthAlone(text.charCodeAt(at));
    if (alone === undefined) return fitGraphemes(text, columns);
    width += alone;
    // What follows could belong to the last character that fits, and is seen by then.
    if (width > columns - 1) return `${text.slice(0, at)}…`;
  }
  return text;
}

function fitGraphemes(text: string, columns: number): string {
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

/** Columns of a character that nothing before or after it can join or change; undefined for all others, which have to be segmented. */
function widthAlone(code: number): 1 | 2 | undefined {
  if (code < 0x300) return code >= 0x20 && code !== 0xa9 && code !== 0xad && code !== 0xae ? 1 : undefined;
  // Greek and Cyrillic without their marks, Armenian letters; dashes, quotation marks and the ellipsis.
  if ((code >= 0x370 && code < 0x483) || (code >= 0x48a && code < 0x58b) || (code >= 0x2010 && code < 0x2028)) return 1;
  // Kana without their marks, Han.
  if (code >= 0x3041 && code < 0x3097) return 2;
  if (code >= 0x30a1 && code < 0x30fb) return 2;
  return (code >= 0x3400 && code < 0x4dc0) || (code >= 0x4e00 && code < 0xa000) ? 2 : undefined;
}

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  if (wide.test(grapheme)) return 2;
  return /^\p{Mark}/u.test(grapheme) ? 0 : 1;
}
