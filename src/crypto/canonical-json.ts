import { utf8 } from './bytes.ts';
import { CryptoError } from './crypto-error.ts';

/** Deeper values are refused before the stack overflows. This also refuses values that contain themselves. */
const MAX_DEPTH = 256;

/**
 * Canonical JSON (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * It is stricter than `JSON.stringify`, because a signature must cover exactly the given value: nothing is left out or converted.
 *
 * @param value null, booleans, finite numbers, well-formed strings, arrays without holes, and plain objects of these
 * @throws CryptoError for anything else (undefined, functions, symbols, bigints, NaN, class instances, lone surrogates), for
 *   values that contain themselves, and below 256 levels
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/** UTF-8 of `canonicalJson`: the bytes to hash and sign. */
export function canonicalJsonBytes(value: unknown): Uint8Array {
  return utf8(canonicalJson(value));
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new CryptoError('JSON value is too deep or contains itself');
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'string') return writeString(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && isPlain(value)) return writeObject(value, depth);
  throw new CryptoError(`JSON has no ${typeof value === 'object' ? 'class instances' : typeof value}`);
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new CryptoError('JSON has no infinite numbers and no NaN');
  // RFC 8785 3.2.2.3 uses ECMAScript's form of numbers; minus zero is written 0.
  return String(value);
}

function writeString(value: string): string {
  if (!value.isWellFormed()) throw new CryptoError('JSON text must be well-formed Unicode');
  return JSON.stringify(value);
}

function writeObject(value: object, depth: number): string {
  if (Object.getOwnPropertySymbols(value).length > 0) throw new CryptoError('JSON has no symbols');
  let text = '';
  // Without a comparison, sort compares by UTF-16 code units, as RFC 8785 3.2.3 requires; localeCompare does not.
  for (const key of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${writeString(key)}:${write((value as Record<string, unknown>)[key], depth + 1)}`;
  }
  return `{${text}}`;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
