export interface Field {
  /** as it is written: `Message-ID` */
  readonly name: string;
  /** unfolded; one character for each octet, since nothing says what charset it has */
  readonly value: string;
}

export interface Header {
  readonly fields: readonly Field[];
  /** where the content begins */
  readonly body: number;
  /** there was more of it than is read */
  readonly cut: boolean;
}

/** What real messages have is below 100 fields and 100 KiB; 10,000 recipients take 500 KiB. The rest is skipped. */
const MOST_OCTETS = 1024 * 1024;
/** Of a longer line its beginning is read, so that other fields find room. */
const LONGEST_LINE = 512 * 1024;
const MOST_FIELDS = 10_000;

const LF = 10;
const CR = 13;
const DASH = 45;

/**
 * Reads header fields until a blank line, the end, or a delimiter. Lines that are no fields are skipped.
 * @param isDelimiter whether the line that begins here, with two dashes, ends the part
 */
export function readHeader(octets: Buffer, start: number, isDelimiter: (at: number) => boolean): Header {
  const found: { name: string; lines: string[] }[] = [];
  let read = 0;
  let cut = false;
  let at = start;
  while (at < octets.length) {
    if (octets[at] === DASH && octets[at + 1] === DASH && isDelimiter(at)) break;
    const { end, next } = lineAt(octets, at);
    const begin = at;
    at = next;
    if (end === begin) break;
    const stop = Math.min(end, begin + LONGEST_LINE);
    cut ||= stop < end;
    if (read + stop - begin > MOST_OCTETS || found.length > MOST_FIELDS) {
      cut = true;
      continue;
    }
    read += stop - begin;
    const line = octets.toString('latin1', begin, stop);
    if (/^[ \t]/.test(line)) found.at(-1)?.lines.push(line);
    else if (/^[!-9;-~]+[ \t]*:/.test(line)) {
      const colon = line.indexOf(':');
      found.push({ name: line.slice(0, colon).trimEnd(), lines: [line.slice(colon + 1)] });
    }
  }
  return { fields: found.map(({ name, lines }) => ({ name, value: lines.join('').trim() })), body: at, cut };
}

/** @returns where the text of a line ends, and where the next line begins. A line ends with LF, or CRLF. */
export function lineAt(octets: Buffer, start: number): { readonly end: number; readonly next: number } {
  const lf = octets.indexOf(LF, start);
  if (lf === -1) return { end: octets.length, next: octets.length };
  return { end: lf > start && octets[lf - 1] === CR ? lf - 1 : lf, next: lf + 1 };
}

/** @returns the value of the first field of this name, in lower case, since the first is what others go by as well */
export function fieldOf(fields: readonly Field[], name: string): string | undefined {
  return fields.find((field) => field.name.toLowerCase() === name)?.value;
}
