import { damagedMedia } from './byte-reader.ts';

/** The longest id and length of an element together. */
export const HEAD_BYTES = 12;
const VOID = 0xec;

/** Elements that stay, and those that stay without their content. All others become void. */
export interface ElementRules {
  readonly keep: readonly number[];
  readonly blank?: readonly number[];
}

/** An element in a buffer: its content is from `start` to before `end`. */
export interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** The elements of a buffer, cleaned in place. @param rules undefined: only looks. @throws Problem invalid MEDIA_DAMAGED */
export function elementsOf(bytes: Buffer, rules?: ElementRules): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const { id, size, length } = readHead(bytes.subarray(at, at + HEAD_BYTES));
    const start = at + length;
    if (size === undefined || start + size > bytes.length) throw damagedMedia('an element breaks off');
    const end = start + size;
    if (rules === undefined || rules.keep.includes(id)) elements.push({ id, start, end });
    else if (rules.blank?.includes(id) === true) bytes.fill(0, start, end);
    else {
      const head = voidHead(end - at);
      bytes.set(head, at);
      bytes.fill(0, at + head.length, end);
    }
    at = end;
  }
  return elements;
}

export interface ElementHead {
  readonly id: number;
  /** of the content; undefined: unknown */
  readonly size: number | undefined;
  /** of the head */
  readonly length: number;
}

/** @param bytes from the beginning of an element. @throws Problem invalid MEDIA_DAMAGED */
export function readHead(bytes: Buffer): ElementHead {
  const id = numberAt(bytes, 0, 4);
  const size = numberAt(bytes, id.length, 8);
  if (!size.isUnknown && size.value > Number.MAX_SAFE_INTEGER)
    throw damagedMedia('an element has another length than it says');
  return {
    // With its mark, as ids are written.
    id: id.value + 2 ** (7 * id.length),
    size: size.isUnknown ? undefined : size.value,
    length: id.length + size.length,
  };
}

/**
 * RFC 8794, 4: the number of zeros before the first one is the number of bytes that follow.
 * @returns the value without that one, exact up to 2^53; whether all its bits are set
 */
function numberAt(bytes: Buffer, at: number, most: number) {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > most || at + length > bytes.length) throw damagedMedia('an element breaks off');
  const rest = bytes.subarray(at + 1, at + length);
  const high = first & (0xff >> length);
  const isUnknown = high === 0xff >> length && rest.every((byte) => byte === 0xff);
  return { value: rest.reduce((value, byte) => value * 256 + byte, high), length, isUnknown };
}

/** The id and length of a void element that has so many bytes with them. */
export function voidHead(whole: number): Uint8Array {
  if (whole <= 128) return Uint8Array.of(VOID, 0x80 | (whole - 2));
  const head = Buffer.alloc(9);
  head.writeBigUInt64BE((1n << 56n) | BigInt(whole - 9), 1);
  head[0] = VOID;
  return head;
}
