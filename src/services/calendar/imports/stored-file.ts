import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Context } from '../../../service/context.ts';
import type { ImportResult } from '../../../contract/calendar/export.ts';
import { Problem } from '../../../base/problem.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { CalendarImportRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { joined } from './join-pieces.ts';

/** Bytes of a file that are one row. */
const PART = 1024 ** 2;

type Place = Pick<CalendarImportRow, 'id' | 'calendar_id'>;

function purpose({ id, calendar_id: calendarId }: Place, what: number | 'result'): Uint8Array {
  return utf8(`calendar-import:${calendarId}:${id}:${what}`);
}

export interface SealedFile {
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
}

/** A file as it is kept until it is read: in parts, compressed and sealed. @param key of its calendar */
export async function sealFile(
  { random }: Pick<Context, 'random'>,
  key: Uint8Array,
  place: Place,
  file: Uint8Array,
): Promise<SealedFile> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < file.length; at += PART) {
    const short = await promisify(gzip)(file.subarray(at, at + PART));
    parts.push(sealWithKey(key, short, purpose(place, parts.length), random));
  }
  return { parts, bytes: parts.reduce((sum, { length }) => sum + length, 0) };
}

export async function insertFile({ db }: Context, { id }: Place, { parts }: SealedFile): Promise<void> {
  for (const [part, sealed] of parts.entries())
    await insertRows(db, 'calendar_import_parts', [{ import_id: id, part, sealed }]);
}

const partOf = writtenQuery<{ sealed: Uint8Array }>(
  'select sealed from calendar_import_parts where import_id = $1 and part = $2',
);

/** @throws Problem internal STORE_DAMAGED */
export async function openFileOf({ db }: Context, key: Uint8Array, place: Place): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const { rows } = await db.executeQuery(partOf(place.id, parts.length));
    const [row] = rows;
    if (row === undefined) return await joined(parts);
    const short = opened(key, place, parts.length, row.sealed);
    parts.push(await promisify(gunzip)(short, { maxOutputLength: PART }));
  }
}

const remove = writtenQuery('delete from calendar_import_parts where import_id = $1');

export async function removeFile({ db }: Context, { id }: Pick<Place, 'id'>): Promise<void> {
  await db.executeQuery(remove(id));
}

export function sealResult(
  { random }: Pick<Context, 'random'>,
  key: Uint8Array,
  place: Place,
  result: object,
): Uint8Array {
  return sealWithKey(key, utf8(JSON.stringify(result)), purpose(place, 'result'), random);
}

/** @throws Problem internal STORE_DAMAGED */
export function openResult(key: Uint8Array, row: Place & Pick<CalendarImportRow, 'result'>): ImportResult {
  return JSON.parse(Buffer.from(opened(key, row, 'result', row.result)).toString('utf8')) as ImportResult;
}

function opened(key: Uint8Array, place: Place, what: number | 'result', sealed: Uint8Array): Uint8Array {
  try {
    return openWithKey(key, sealed, purpose(place, what));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    const message = 'A file that is imported does not open. The store is damaged: restore it from a backup.';
    throw new Problem('internal', 'STORE_DAMAGED', message, { cause: error });
  }
}
