/** Counts the columns that a terminal uses for a text without control characters. */
export type Measure = (text: string) => number;

const ascii = /^[\u0020-\u007e]*$/;
/** Text that is not ASCII, and the character before it, because both may combine. Only this text is split, because splitting is slow. */
const joined = /[\u0020-\u007e]?[^\u0020-\u007e]+/g;

/** Returns a measure for all text. Loading it takes half as long as the start of Node. */
export async function loadMeasure(): Promise<Measure> {
  const { default: stringWidth } = await import('string-width');
  // A table repeats the same words often.
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

/** Draws with a measure. The full measure is loaded only if a text is not ASCII, which is rare. An ASCII character has one column. */
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

/** The beginning of a text that fits into a number of columns, with an ellipsis if the text is cut. */
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

/** The lines of a text that is broken at its spaces. A word that is longer than a line stays whole: it may be a key that people copy. */
export function wrapped(text: string, columns: number, measure: Measure = (part) => part.length): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (measure(line) + 1 + measure(word) <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
