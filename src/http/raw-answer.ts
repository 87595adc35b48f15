import { randomUUID } from 'node:crypto';
import type { RawJson } from '../contract/raw-json.ts';

/**
 * The JSON of an answer, in UTF-8, in which some properties of the reply are JSON already.
 * @param names of these properties
 * @param write writes the answer for a reply
 */
export function rawAnswer(
  reply: Readonly<Record<string, unknown>>,
  names: readonly string[],
  write: (reply: Readonly<Record<string, unknown>>) => string,
): Buffer {
  // The marks are random, so nothing else in the answer can be one.
  const marks = new Map(names.flatMap((name) => (reply[name] === undefined ? [] : [[name, randomUUID()] as const])));
  const text = write({ ...reply, ...Object.fromEntries(marks) });
  const places = [...marks].map(([name, mark]) => {
    const start = text.indexOf(`"${mark}"`);
    return { raw: reply[name] as RawJson, start, end: start + mark.length + 2 };
  });
  const pieces: Uint8Array[] = [];
  let done = 0;
  for (const { raw, start, end } of places.toSorted((one, other) => one.start - other.start)) {
    pieces.push(Buffer.from(text.slice(done, start)), raw.bytes);
    done = end;
  }
  return Buffer.concat([...pieces, Buffer.from(text.slice(done))]);
}
