import { isAscii } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Problem } from '../base/problem.ts';
import { checkBounds, type TextRange } from './json-bounds.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws Problem invalid VALIDATION_ERROR if the bytes are not JSON in UTF-8, or exceed the bounds */
export function parseJson(bytes: Buffer): unknown {
  checkBounds(bytes);
  return parseText(() => decoder.decode(bytes));
}

/**
 * Parsed JSON without its long plain texts, such as files in base 64. These texts stay bytes, and the value has a mark in place of each. So
 * they go from thread to thread without a copy.
 */
export interface ParsedApart {
  readonly value: unknown;
  /** prefix of every mark; a number follows */
  readonly mark: string;
  readonly apart: readonly TextRange[];
  /** all bytes that were parsed; undefined if no text was replaced by a mark */
  readonly bytes: Buffer | undefined;
}

/** @throws Problem as `parseJson` */
export function parseApart(bytes: Buffer): ParsedApart {
  const apart = checkBounds(bytes).filter((range) => isPlain(bytes.subarray(range.start, range.end)));
  // The mark is random, so the input cannot contain it.
  const mark = `${randomUUID()} `;
  const value = parseText(() => {
    let text = '';
    let done = 0;
    for (const [number, { start, end }] of apart.entries()) {
      text += `${decoder.decode(bytes.subarray(done, start))}${mark}${number}`;
      done = end;
    }
    return text + decoder.decode(bytes.subarray(done));
  });
  return { value, mark, apart, bytes: apart.length === 0 ? undefined : bytes };
}

/** Replaces each mark with its text. */
export function putTogether({ value, mark, apart, bytes }: ParsedApart): unknown {
  if (bytes === undefined) return value;
  const textAt = (number: number): string => {
    const range = apart[number];
    return range === undefined ? '' : bytes.toString('latin1', range.start, range.end);
  };
  const filled = (one: unknown): unknown => {
    if (typeof one === 'string') return one.startsWith(mark) ? textAt(Number(one.slice(mark.length))) : one;
    if (typeof one !== 'object' || one === null) return one;
    const parent = one as Record<string, unknown>;
    for (const [key, child] of Object.entries(parent)) {
      const better = filled(child);
      // `__proto__` must be treated like any other name here.
      if (better !== child)
        Object.defineProperty(parent, key, { value: better, writable: true, enumerable: true, configurable: true });
    }
    return parent;
  };
  return filled(value);
}

function parseText(text: () => string): unknown {
  try {
    return JSON.parse(text());
  } catch {
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The body is not JSON in UTF-8.');
  }
}

/** Whether the bytes are the text itself: ASCII, without escapes, and without characters that JSON requires to be escaped. */
function isPlain(bytes: Buffer): boolean {
  if (!isAscii(bytes) || bytes.includes(0x5c)) return false;
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] ?? 0) < 0x20) return false;
  return true;
}
