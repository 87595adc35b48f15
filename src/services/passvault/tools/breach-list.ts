import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { wholeNumber } from '../../../base/whole-number.ts';

/** Longer than any line: 40 digits, a colon, a count and a line end. */
const LINE = 64;

/**
 * Looks up a hash in a copy of the list of breached passwords. The copy is either one file with lines `<40 digits>:<count>` sorted by hash,
 * or a folder of files `<first five digits>.txt` with lines `<35 digits>:<count>`.
 *
 * @param hash 40 upper-case digits
 * @throws any error of reading the file
 */
export async function countInList(path: string, hash: string): Promise<number> {
  if ((await stat(path)).isDirectory()) {
    const lines = (await readFile(join(path, `${hash.slice(0, 5)}.txt`), 'latin1')).split('\n');
    const suffix = hash.slice(5);
    return countOf(lines.find((line) => line.slice(0, 35).toUpperCase() === suffix));
  }
  const file = await open(path);
  try {
    return await searchFile(file, hash);
  } finally {
    await file.close();
  }
}

/** Binary search in the file: some 40 reads for the whole list. */
async function searchFile(file: FileHandle, hash: string): Promise<number> {
  const { size } = await file.stat();
  let from = 0;
  let to = size;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const { start, end, line } = await lineAt(file, middle);
    const found = line.slice(0, 40).toUpperCase();
    if (!/^[0-9A-F]{40}$/.test(found)) throw new Error('the list of breached passwords has lines that are none of it');
    if (found === hash) return countOf(line);
    if (found < hash) from = end;
    else to = start;
  }
  return 0;
}

/** The line that the byte at `position` belongs to; `end` is where the next one starts. */
async function lineAt(file: FileHandle, position: number): Promise<{ start: number; end: number; line: string }> {
  const first = Math.max(0, position - LINE);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3 * LINE), 0, 3 * LINE, first);
  const text = buffer.toString('latin1', 0, bytesRead);
  const start = position === 0 ? 0 : text.lastIndexOf('\n', position - first - 1) + 1;
  const lineEnd = text.indexOf('\n', position - first);
  const end = lineEnd < 0 ? bytesRead : lineEnd + 1;
  return { start: first + start, end: first + end, line: text.slice(start, end) };
}

function countOf(line: string | undefined): number {
  if (line === undefined) return 0;
  const count = /:(\d{1,12})\s*$/.exec(line)?.[1];
  // In lists without counts, each hash was found at least once.
  return wholeNumber(count) ?? 1;
}
