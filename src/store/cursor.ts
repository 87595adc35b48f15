import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../problem.ts';

/** Where a page ended: the value it is sorted by, and the id that decides between equal values. */
export interface Position {
  readonly sort: string | number;
  readonly id: string;
}

/** 128 bits: a forged cursor only asks for another page of the same list, and can't be tried offline. */
const tagBytes = 16;
/** Nobody's sort key is longer; a bound before anything is computed. */
const maximumLength = 4096;

function tagOf(key: Uint8Array, body: Uint8Array): Buffer {
  return createHmac('sha256', key).update('cursor\0').update(body).digest().subarray(0, tagBytes);
}

/** Base64url of tag and JSON: opaque to clients, who could otherwise ask for positions that no page ever ended at. */
export function encodeCursor(key: Uint8Array, { sort, id }: Position): string {
  const body = Buffer.from(JSON.stringify([sort, id]));
  return Buffer.concat([tagOf(key, body), body]).toString('base64url');
}

/** @throws Problem invalid INVALID_CURSOR for everything that `encodeCursor` did not make with this key */
export function decodeCursor(key: Uint8Array, text: string): Position {
  const position = text.length <= maximumLength ? open(key, text) : undefined;
  if (!position) throw new Problem('invalid', 'INVALID_CURSOR', 'This cursor is not one that the server gave out');
  return position;
}

function open(key: Uint8Array, text: string): Position | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding skips what isn't base64url; each cursor has one spelling.
  if (bytes.length <= tagBytes || bytes.toString('base64url') !== text) return undefined;
  const body = bytes.subarray(tagBytes);
  if (!timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(key, body))) return undefined;
  const [sort, id] = JSON.parse(body.toString('utf8')) as [string | number, string];
  return { sort, id };
}
