import { isAscii } from 'node:buffer';
import { randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';
import { CryptoError } from './crypto-error.ts';

/** From this number of characters on, the encoder of the platform is faster. */
const SHORT = 128;

/** A source of cryptographically strong random bytes: returns exactly `size` of them. */
export type Random = (size: number) => Uint8Array;

/** Bytes that were read from the generator together, as each call takes longer than the bytes. A request needs about twenty keys, IVs and ids. */
const stock = Buffer.alloc(2_048);
/** the beginning of those that nobody has */
let left = stock.length;
const FROM_STOCK = 64;

export function systemRandom(size: number): Uint8Array {
  if (!Number.isInteger(size) || size < 0 || size > FROM_STOCK) return plain(randomBytes(size));
  if (left + size > stock.length) {
    randomFillSync(stock);
    left = 0;
  }
  const bytes = plain(stock.subarray(left, left + size));
  // What was given out must not stay here: it may be a key.
  stock.fill(0, left, left + size);
  left += size;
  return bytes;
}

/**
 * Copies into a plain `Uint8Array` with its own memory. No `Buffer` leaves `src/crypto`: its `slice` shares memory, and libraries that
 * compare constructors refuse it.
 */
export function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/** @throws CryptoError unless `bytes` is a byte array of one of `lengths` (of any length when none is given) */
export function assertLength(name: string, bytes: Uint8Array, ...lengths: readonly number[]): void {
  if (!(bytes instanceof Uint8Array)) throw new CryptoError(`${name} must be bytes`);
  if (lengths.length > 0 && !lengths.includes(bytes.length)) {
    throw new CryptoError(`${name} must have ${lengths.join(' or ')} bytes, not ${bytes.length}`);
  }
}

/** @throws CryptoError unless `bytes` is a byte array of `min` to `max` bytes */
export function assertLengthBetween(name: string, bytes: Uint8Array, min: number, max: number): void {
  assertLength(name, bytes);
  if (bytes.length < min || bytes.length > max) {
    throw new CryptoError(`${name} must have ${min} to ${max} bytes, not ${bytes.length}`);
  }
}

/** @throws CryptoError unless `value` is an integer from `min` to `max` */
export function assertInteger(name: string, value: number, min: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new CryptoError(`${name} must be an integer from ${min} to ${max}`);
  }
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  assertLength('bytes', bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/**
 * @param text hexadecimal in upper or lower case, two digits per byte, nothing else
 * @param length expected number of bytes; any number if left out
 * @throws CryptoError
 */
export function fromHex(text: string, length?: number): Uint8Array {
  // The check is necessary because Buffer.from stops without an error at the first bad digit.
  if (typeof text !== 'string' || text.length % 2 !== 0 || /[^0-9a-fA-F]/.test(text)) {
    throw new CryptoError('hex must be pairs of hexadecimal digits');
  }
  if (length !== undefined && text.length !== 2 * length) throw new CryptoError(`hex must have ${2 * length} digits`);
  return plain(Buffer.from(text, 'hex'));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Four bytes, big-endian. */
export function uint32(value: number): Uint8Array {
  assertInteger('uint32', value, 0, 0xffffffff);
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** Reads four bytes, big-endian, at `offset`; the caller has checked the length. */
export function readUint32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);
}

/**
 * Encodes as UTF-8. A lone surrogate is refused: the encoder would turn each one into U+FFFD, and different texts would get equal bytes.
 *
 * @throws CryptoError
 */
export function utf8(text: string): Uint8Array {
  const isText = typeof text === 'string';
  const short = isText && text.length <= SHORT ? ascii(text) : undefined;
  if (short !== undefined) return short;
  if (!isText || /\p{Surrogate}/u.test(text)) throw new CryptoError('text must be well-formed Unicode');
  return new TextEncoder().encode(text);
}

/** A fast path for short ASCII texts: the encoder takes three times as long for an id or the label of a key. */
function ascii(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return undefined;
    bytes[at] = code;
  }
  return bytes;
}

/** Decodes UTF-8 and keeps a leading byte order mark. @throws CryptoError when the bytes aren't UTF-8 */
export function fromUtf8(bytes: Uint8Array): string {
  assertLength('text', bytes);
  // For ASCII this takes a tenth of the decoder's time, and most stored text is ASCII.
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CryptoError('text must be UTF-8', { cause });
  }
}

/** Compares in constant time. Lengths aren't secret: different lengths give false at once. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
