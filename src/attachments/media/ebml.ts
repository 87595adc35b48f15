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
  const isUnknown = size.value === (1n << BigInt(7 * size.length)) - 1n;
  if (!isUnknown && size.value > BigInt(Number.MAX_SAFE_INTEGER))
    throw damagedMedia('an element has another length than it says');
  const marked = Number(id.value | (1n << BigInt(7 * id.length)));
  return { id: marked, size: isUnknown ? undefined : Number(size.value), length: id.length + size.length };
}

/** RFC 8794, 4: the number of zeros before the first one is the number of bytes that follow. @returns the value without that one */
function numberAt(bytes: Buffer, at: number, most: number): { readonly value: bigint; readonly length: number } {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > most || at + length > bytes.length) throw damagedMedia('an element breaks off');
  let value = BigInt((bytes[at] ?? 0) & (0xff >> length));
  for (let next = 1; next < length; next += 1) value = (value << 8n) | BigInt(bytes[at + next] ?? 0);
  return { value, length };
}

/** The id and length of a void element that has so many bytes with them. */
export function voidHead(whole: number): Uint8Array {
  if (whole <= 128) return Uint8Array.of(VOID, 0x80 | (whole - 2));
  const head = Buffer.alloc(9);
  head.writeBigUInt64BE((1n << 56n) | BigInt(whole - 9), 1);
  head[0] = VOID;
  return head;
}
