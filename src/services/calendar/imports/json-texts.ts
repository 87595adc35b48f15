import { createTurns } from '../turns.ts';

/** Bytes of a text that are read before others have their turn. */
const SLICE = 256 * 1024;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * Reads an object of JSON that has texts alone, such as `{"icsData": "…"}`. One text may be large: it is read in slices, each of them up to
 * the end of a line.
 *
 * @returns its texts in UTF-8; undefined if it is something else
 */
export async function textsOfJson(bytes: Buffer): Promise<Map<string, Buffer> | undefined> {
  const found = new Map<string, Buffer>();
  /** what stands beside its texts */
  let frame = '';
  let name: string | undefined;
  for (let at = 0; ;) {
    const begin = bytes.indexOf(QUOTE, at);
    frame += bytes.toString('latin1', at, begin === -1 ? bytes.length : begin);
    if (begin === -1) break;
    const end = endOfText(bytes, begin + 1);
    const text = end === undefined ? undefined : await textOf(bytes.subarray(begin + 1, end));
    if (end === undefined || text === undefined || frame.length > 10_000) return undefined;
    frame += '""';
    if (name === undefined) name = text.toString('utf8');
    else {
      found.set(name, text);
      name = undefined;
    }
    at = end + 1;
  }
  return /^\s*\{\s*(?:""\s*:\s*""\s*(?:,\s*""\s*:\s*""\s*)*)?\}\s*$/.test(frame) ? found : undefined;
}

/** @returns where the quotation mark stands that ends it */
function endOfText(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1))
    if (!isEscaped(bytes, at, from)) return at;
  return undefined;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(bytes: Buffer, at: number, from: number): boolean {
  let before = at;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

async function textOf(written: Buffer): Promise<Buffer | undefined> {
  const turns = createTurns();
  const parts: Buffer[] = [];
  for (let at = 0; at < written.length || parts.length === 0;) {
    const end = cutAfter(written, at + SLICE);
    const part = unescaped(written.toString('utf8', at, end));
    if (part === undefined) return undefined;
    parts.push(part);
    at = end;
    await turns.take();
  }
  return Buffer.concat(parts);
}

/** Before the end of a line nothing is cut in two, be it a letter or its escape. */
function cutAfter(written: Buffer, from: number): number {
  for (let at = written.indexOf('\\n', from); at !== -1; at = written.indexOf('\\n', at + 1))
    if (!isEscaped(written, at, 0)) return at;
  return written.length;
}

function unescaped(text: string): Buffer | undefined {
  try {
    return Buffer.from(JSON.parse(`"${text}"`) as string);
  } catch {
    return undefined;
  }
}
