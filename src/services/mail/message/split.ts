import { gatherPieces } from '../../../base/pieces.ts';
import { decodedSize, lineKind, type LineKind } from './base64-line.ts';
import { isBodyAfter } from './part-header.ts';

/**
 * What of a message comes next. A segment comes in one event or more: `first` begins it, `last` ends it, and its bytes may be none. The
 * octets and bytes are views of what was read.
 */
export type SplitEvent =
  | { readonly kind: 'octets'; readonly octets: Buffer }
  | {
      readonly kind: 'segment';
      /** decoded */
      readonly bytes: Buffer;
      /** as in `Segment` */
      readonly width: number;
      readonly first: boolean;
      readonly last: boolean;
    };

export interface SplitOptions {
  /** decoded bytes of the smallest segment */
  readonly least?: number;
  /** the same for what is the text of the message, not an attachment; the text that is shown must stand in what is parsed */
  readonly leastBody?: number;
}

/** Smaller attachments stay where they are: a content of its own costs more than it saves. */
const LEAST = 64 * 1024;

/** Longer text isn't shown whole, and is downloaded instead. */
const LEAST_BODY = 2 * 1024 * 1024;

/** The longest multiple of 4 that fits into a line of a message (998 octets, RFC 5322 2.1.1). */
const LONGEST_LINE = 996;

/** Lines are looked for in blocks of this size at least, so that senders of single octets cost no more than others. */
const BLOCK = 64 * 1024;

/** How much of what came is kept to know which part of the message a run of lines stands in. */
const LOOKBACK = 64 * 1024;

const LF = 10;
const CR = 13;

/** Lines of base64 that may become a segment, or are one. */
interface Run {
  /** where its first line that wasn't handed out begins */
  start: number;
  /** where its last line ends, without the CRLF */
  end: number;
  readonly width: number;
  /** a part of it was handed out */
  begun: boolean;
}

/**
 * Finds the large contents that are base64 in a message of any size, in bounded memory. Joined as segments.ts says, the pieces are the
 * same octets again: only canonical lines of one width with CRLF between them are taken.
 */
export async function* splitMessage(
  octets: AsyncIterable<Uint8Array>,
  { least = LEAST, leastBody = LEAST_BODY }: SplitOptions = {},
): AsyncGenerator<SplitEvent> {
  const split = splitter(least, Math.max(least, leastBody));
  for await (const block of inBlocks(octets)) yield* split.add(block);
  yield* split.end();
}

async function* inBlocks(octets: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const pieces = gatherPieces();
  let size = 0;
  for await (const piece of octets) {
    pieces.add(piece);
    size += piece.length;
    if (size < BLOCK) continue;
    yield pieces.whole();
    pieces.clear();
    size = 0;
  }
  if (size > 0) yield pieces.whole();
}

function splitter(least: number, leastBody: number) {
  /** what wasn't handed out, and a little more */
  let text: Buffer = Buffer.alloc(0);
  let handedOut = 0;
  /** where the line begins that wasn't looked at */
  let line = 0;
  let searched = 0;
  /** the line is the rest of one that is too long to be base64 */
  let isRest = false;
  let run: Run | undefined;
  let before: Buffer = Buffer.alloc(0);

  function* octetsTo(end: number): Generator<SplitEvent> {
    if (end > handedOut) yield { kind: 'octets', octets: text.subarray(handedOut, end) };
    handedOut = Math.max(handedOut, end);
  }

  function isSegment({ start, end, width, begun }: Run): boolean {
    if (begun) return true;
    const size = decodedSize(text.subarray(start, end), width);
    if (size < least || size >= leastBody) return size >= least;
    return !isBodyAfter(Buffer.concat([before, text.subarray(0, start)]).subarray(-LOOKBACK));
  }

  function* handOut(part: Run, last: boolean): Generator<SplitEvent> {
    const { start, end, width, begun } = part;
    if (!begun) yield* octetsTo(start);
    const bytes = Buffer.from(text.toString('latin1', start, Math.max(start, end)), 'base64');
    if (bytes.length > 0 || last) yield { kind: 'segment', bytes, width, first: !begun, last };
    part.begun = true;
    handedOut = end;
    // After it comes the CRLF that the segment stands for as well, if another line follows.
    part.start = end + 2;
  }

  function* endRun(): Generator<SplitEvent> {
    if (run !== undefined && isSegment(run)) yield* handOut(run, true);
    run = undefined;
  }

  function* addLine(kind: LineKind, end: number): Generator<SplitEvent> {
    const length = end - line;
    const fits = kind !== 'other' && length <= LONGEST_LINE;
    if (run !== undefined && (!fits || length > run.width)) yield* endRun();
    if (!fits) return;
    run ??= { start: line, end, width: length, begun: false };
    run.end = end;
    if (kind === 'last' || length < run.width) yield* endRun();
  }

  /** Keeps only what can't be decided before more comes. */
  function* settle(): Generator<SplitEvent> {
    if (isRest || text.length - line > LONGEST_LINE + 1) {
      yield* endRun();
      isRest = true;
      line = text.length;
    }
    if (run === undefined) yield* octetsTo(line);
    else if (isSegment(run)) yield* handOut(run, false);
    else yield* octetsTo(run.start);
    before = Buffer.concat([before, text.subarray(0, handedOut)]).subarray(-LOOKBACK);
    text = text.subarray(handedOut);
    line -= handedOut;
    if (run !== undefined) [run.start, run.end] = [run.start - handedOut, run.end - handedOut];
    handedOut = 0;
    searched = text.length;
  }

  return {
    *add(block: Buffer): Generator<SplitEvent> {
      text = text.length === 0 ? block : Buffer.concat([text, block]);
      for (let lf = text.indexOf(LF, searched); lf !== -1; lf = text.indexOf(LF, line)) {
        const end = lf > line && text[lf - 1] === CR ? lf - 1 : line;
        yield* addLine(isRest ? 'other' : lineKind(text, line, end), end);
        line = lf + 1;
        isRest = false;
      }
      yield* settle();
    },
    *end(): Generator<SplitEvent> {
      if (!isRest) yield* addLine(lineKind(text, line, text.length), text.length);
      yield* endRun();
      yield* octetsTo(text.length);
    },
  };
}
