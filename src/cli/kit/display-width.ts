/** Columns that a terminal gives to text without control characters. */
export type Measure = (text: string) => number;

const ascii = /^[\u0020-\u007e]*$/;
/** What isn't ASCII, with the character before it, which it may be joined with. Only this is taken apart, which takes long. */
const joined = /[\u0020-\u007e]?[^\u0020-\u007e]+/g;

/** The measure of all text. To load it takes half as long as Node takes to start. */
export async function loadMeasure(): Promise<Measure> {
  const { default: stringWidth } = await import('string-width');
  // A table has the same words again and again.
  const known = new Map<string, number>();
  const widthOf = (run: string): number => {
    const width = known.get(run) ?? stringWidth(run);
    known.set(run, width);
    return width;
  };
  return (text) => {
    if (ascii.test(text)) return text.length;
    return (text.match(joined) ?? []).reduce((sum, run) => sum + widthOf(run) - run.length, text.length);
  };
}

/** ASCII has a column for each character: nothing is loaded where nothing else was measured, which is in most answers. */
export async function measured(draw: (measure: Measure) => string): Promise<string> {
  let isAscii = true;
  const drawn = draw((text) => {
    isAscii &&= ascii.test(text);
    return text.length;
  });
  return isAscii ? drawn : draw(await loadMeasure());
}

/** Created on first use, because creation takes longer than the work and few answers need it. */
let segmenter: Intl.Segmenter | undefined;

/** The beginning of a text that fits into a number of columns, with an ellipsis where something is left off. */
export function fit(text: string, columns: number, measure: Measure): string {
  if (measure(text) <= columns) return text;
  if (ascii.test(text)) return `${text.slice(0, columns - 1)}…`;
  segmenter ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    width += measure(segment);
    if (width > columns - 1) return `${text.slice(0, index)}…`;
  }
  return text;
}
