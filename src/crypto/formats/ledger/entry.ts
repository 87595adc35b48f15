import { exactTime } from '../../../base/exact-time.ts';
import { fromHex, fromUtf8, utf8 } from '../../bytes.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { hmacSha256Hex, sha256Hex } from '../../hash.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** The type of the first entry of every ledger. */
export const GENESIS_TYPE = 'LOG_GENESIS';

/** The form of a type's name. Services declare the types, and the ledger of a newer program can have more of them. */
const typeName = /^[A-Z][A-Z0-9_]{0,63}$/;

/** An entry; it is stored as canonical JSON. It is public and permanent, so it must not contain personal data. */
export interface LedgerEntry {
  readonly v: 1;
  /** the index of the leaf, so that no two entries are equal */
  readonly index: number;
  /** a type is never renamed or given another meaning */
  readonly type: string;
  /** UTC, ISO 8601 with milliseconds */
  readonly time: string;
  readonly data?: JsonObject;
  /** HMAC-SHA256 under a key of the node, hex */
  readonly tags?: Readonly<Record<string, string>>;
  /** SHA-256 of salt and details, hex; see `commitmentOf` */
  readonly commit?: string;
}

/** An entry that a service wants to record. */
export interface NewLedgerEntry {
  /** a type that the service declares, see src/node/services.ts */
  readonly type: string;
  /** public and permanent details */
  readonly data?: JsonObject;
  /** ids that only this node can recognise: the entry contains an HMAC of each value */
  readonly tags?: Readonly<Record<string, string>>;
  /** details that can be erased: the entry contains only a commitment to them */
  readonly details?: JsonObject;
}

const SALT_LENGTH = 32;
/** In bytes. An entry holds facts and hashes; larger content belongs elsewhere, and the entry holds its hash. */
const LONGEST_ENTRY = 16_384;

/** SHA-256 over the salt (32 bytes) and the details as canonical JSON, hex. @throws RangeError when the salt has another length */
export function commitmentOf(salt: Uint8Array, details: Uint8Array): string {
  if (salt.length !== SALT_LENGTH) throw new RangeError(`a salt has ${SALT_LENGTH} bytes`);
  return sha256Hex(salt, details);
}

/** A tag in the entries of this node. The same name and value give the same tag, and without the key the tag reveals nothing. */
export function ledgerTag(key: Uint8Array, name: string, value: string): string {
  return hmacSha256Hex(key, utf8(`${name}\0${value}`));
}

/** Canonical JSON of an entry, parted where its index belongs: an entry is written once, and what waits needs only its index. */
export interface PartedEntry {
  readonly before: string;
  readonly after: string;
}

/** A number of 16 digits, and its name. */
const roomForIndex = '"index":9007199254740991'.length;

/** @throws RangeError when the entry would have more than 16,384 bytes */
export function partEntry({ v, type, time, data, tags, commit }: Omit<LedgerEntry, 'index'>): PartedEntry {
  // In the order of canonical JSON.
  const before = `{${member('commit', commit)}${member('data', data)}`;
  const after = `,${member('tags', tags)}"time":${canonicalJson(time)},"type":${canonicalJson(type)},"v":${v}}`;
  if (Buffer.byteLength(before) + roomForIndex + Buffer.byteLength(after) > LONGEST_ENTRY)
    throw new RangeError(`an entry of the ledger has at most ${LONGEST_ENTRY} bytes`);
  return { before, after };
}

function member(name: string, value: Json | undefined): string {
  return value === undefined ? '' : `"${name}":${canonicalJson(value)},`;
}

export function entryBytes({ before, after }: PartedEntry, index: number): Uint8Array {
  return utf8(`${before}"index":${index}${after}`);
}

/** The time of an entry that is written but has no index yet. */
export function timeOf({ after }: PartedEntry): string {
  return (JSON.parse(`{${after.slice(1)}`) as Pick<LedgerEntry, 'time'>).time;
}

/**
 * Reads an entry back.
 *
 * @returns the entry, or what is wrong if the body isn't the canonical JSON of an entry at this index
 */
export function parseEntry(body: Uint8Array, index: number): LedgerEntry | { readonly fault: string } {
  let value: unknown;
  try {
    const text = fromUtf8(body);
    value = JSON.parse(text);
    if (canonicalJson(value) !== text) return { fault: 'is not canonical JSON' };
  } catch {
    return { fault: 'is not canonical JSON' };
  }
  const fault = faultOf(value, index);
  return fault === undefined ? (value as LedgerEntry) : { fault };
}

const fields = new Set(['v', 'index', 'type', 'time', 'data', 'tags', 'commit']);

function faultOf(value: unknown, index: number): string | undefined {
  if (!isObject(value) || !Object.keys(value).every((name) => fields.has(name))) return 'is not an entry';
  if (value['v'] !== 1) return 'has an unknown version';
  if (value['index'] !== index) return 'has another index';
  if (typeof value['type'] !== 'string' || !typeName.test(value['type'])) return 'has no type';
  if (exactTime(value['time']) === undefined) return 'has no time';
  const { data, tags, commit } = value;
  if (data !== undefined && !isObject(data)) return 'has data that is not an object';
  if (tags !== undefined && !(isObject(tags) && Object.values(tags).every(isHash)))
    return 'has tags that are not hashes';
  if (commit !== undefined && !isHash(commit)) return 'has a commitment that is not a hash';
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) && fromHex(value).length === 32;
}
