import { createHash } from 'node:crypto';
import { RawJson } from '../contract/raw-json.ts';
import { membersOf } from '../base/json-text.ts';
import { task, type Work } from '../service/ports/task.ts';
import type { Offload } from '../service/ports/workers.ts';
import { parseJson } from './json-parse.ts';
import { asGone } from './json-task.ts';

/** A body with more bytes is taken apart in a thread: JSON of many small values takes some 20 ms a mebibyte. */
export const RAW_INLINE_BYTES = 64 * 1024;

/** The fields of a body that stay JSON. */
export interface RawFields {
  readonly names: readonly string[];
  /** whether to hash them as well */
  readonly hashed: boolean;
}

interface TakenApart {
  /** with null for each of the fields */
  readonly value: unknown;
  readonly fields: readonly { readonly name: string; readonly bytes: Uint8Array; readonly hash: string | undefined }[];
}

interface SplitJob extends RawFields {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export const splitTask = task<SplitJob, TakenApart>({
  name: 'split-json',
  // The keys of the deepest object that fits, of which each level takes some hundred bytes.
  memory: 512,
  atOnce: 2,
  queued: 64,
});

/** Takes a body apart in a thread. */
export const splitWork: Work<SplitJob, TakenApart> = ({ bytes, ...raw }, { transfer }) => {
  const apart = takeApart(Buffer.from(bytes.buffer), raw);
  for (const field of apart.fields) transfer.push(field.bytes.buffer as ArrayBuffer);
  return apart;
};

/** @throws Problem invalid VALIDATION_ERROR if the bytes are not JSON in UTF-8, or exceed the bounds; these don't hold for raw fields */
export function parseRaw(bytes: Buffer, raw: RawFields): unknown {
  return putIn(takeApart(bytes, raw));
}

/** The same in a thread. @param bytes are transferred, so the caller cannot use them afterwards */
export async function parseRawElsewhere(
  bytes: Buffer,
  raw: RawFields,
  offload: Offload,
  signal: AbortSignal,
): Promise<unknown> {
  const own = bytes.buffer.byteLength === bytes.length ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
  const job = { ...raw, bytes: own };
  return putIn(await offload.run(splitTask, job, { transfer: [own.buffer], signal }).catch(asGone(signal)));
}

function takeApart(bytes: Buffer, { names, hashed }: RawFields): TakenApart {
  const { found, rest } = membersOf(bytes, names);
  const fields = [...found].map(([name, { start, end }]) => {
    const own = new Uint8Array(bytes.subarray(start, end));
    return { name, bytes: own, hash: hashed ? hashOf(own) : undefined };
  });
  return { value: parseJson(rest), fields };
}

function putIn({ value, fields }: TakenApart): unknown {
  // A field was found in an object alone, under a name that the contract has.
  const object = value as Record<string, unknown>;
  for (const { name, bytes, hash } of fields) object[name] = new RawJson(bytes, hash);
  return object;
}

/**
 * The input of a request with hashes in place of its raw fields, for a comparison with another request. A header that the request doesn't
 * have is no part of it.
 */
export function comparable(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields = Object.entries(input);
  if (!fields.some(([, value]) => value instanceof RawJson || value === undefined)) return input;
  const given = fields.filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, value instanceof RawJson ? (value.hash ?? hashOf(value.bytes)) : value]),
  );
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
