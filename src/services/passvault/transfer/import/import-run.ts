import type { ImportColumns, ImportFormat } from '../../../../contract/passvault/transfer.ts';
import { Problem } from '../../../../base/problem.ts';
import type { ImportRecord } from './record.ts';
import type { KeptEntry } from '../../../../contract/passvault/entry.ts';
import { passesCheckDigit } from '../../../../crypto/check-digit.ts';
import { usableTotpSecret } from './otp-secret.ts';
import { passvaultLimits } from '../../../../contract/passvault/limits.ts';

/** Limits of a file, after decoding from base64. */
export const { importBytes: MAX_IMPORT_BYTES, importRecords: MAX_IMPORT_RECORDS } = passvaultLimits;

/** Limit for the texts of all records: names of columns, folders and references may be short in the file, but long in each record. */
const MAX_RECORD_TEXT = 4 * MAX_IMPORT_BYTES;

/** After this many bytes of work, about 10 ms, other work gets a turn. */
const BYTES_BETWEEN_TURNS = 256 * 1024;

export interface ImportOptions {
  /** The password of a protected export. */
  readonly password?: string;
  readonly signal?: AbortSignal;
  /** The meaning of the columns, for a table of an unknown program. */
  readonly columns?: ImportColumns;
  /** Import records from the recycle bin of KeePass; they are skipped by default. */
  readonly includeRecycleBin?: boolean;
  /** Runs work of an addon in a thread that may be given up meanwhile; see thread-state.ts. Default: runs it. */
  readonly native?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called with the number of bytes that were read. */
  readonly onRead?: (bytes: number, total: number) => void;
}

export interface ImportedRow extends ImportRecord {
  /** Counts the records of the file from 1. */
  readonly row: number;
}

export interface ImportRemark {
  readonly row: number;
  /** For people; it never contains content of the file. */
  readonly reason: string;
}

/** Each record of the file is in exactly one of the first three. */
export interface ImportResult {
  readonly format: ImportFormat;
  readonly records: ImportedRow[];
  readonly skipped: ImportRemark[];
  readonly errors: ImportRemark[];
  /** Remarks about imported records, or about the file (row 0). */
  readonly notices: ImportRemark[];
}

/** Returned when the mapping of a record gives no entry. */
export interface Skip {
  readonly skip: string;
}

export interface ImportRun {
  readonly result: ImportResult;
  readonly options: ImportOptions;
  /** Counts a record. A Problem that `map` throws becomes its error. */
  readonly add: (map: (row: number) => ImportRecord | Skip) => void;
  /** Counts a record that can't be read. */
  readonly refuse: (reason: string) => void;
  /** A remark about the record that is being mapped, or else about the file. Each text is stored once for a record. */
  readonly notice: (reason: string) => void;
  /** Reports work that was done. If it returns a promise, wait for it before going on. */
  readonly spend: (bytes: number) => Promise<void> | undefined;
  /** Reports the position in the file. If its parts are read one after another, the position counts over all of them. */
  readonly reached: (bytes: number, total: number) => void;
}

export function startRun(format: ImportFormat, options: ImportOptions): ImportRun {
  const result: ImportResult = { format, records: [], skipped: [], errors: [], notices: [] };
  const fileNotices = new Set<string>();
  let rows = 0;
  let current = 0;
  let spent = 0;
  let textLeft = MAX_RECORD_TEXT;

  function count(): number {
    if (rows >= MAX_IMPORT_RECORDS) throw notImportable(`The file has more than ${MAX_IMPORT_RECORDS} records.`);
    rows += 1;
    return rows;
  }

  function notice(reason: string): void {
    if (current === 0 && fileNotices.has(reason)) return;
    if (current === 0) fileNotices.add(reason);
    const last = result.notices.at(-1);
    if (last?.row !== current || last.reason !== reason) result.notices.push({ row: current, reason });
  }

  return {
    result,
    options,
    add(map) {
      const row = count();
      const noticesBefore = result.notices.length;
      current = row;
      try {
        const outcome = map(row);
        if ('skip' in outcome) result.skipped.push({ row, reason: outcome.skip });
        else {
          textLeft -= textLength(outcome.entry);
          result.records.push({ row, ...outcome });
          for (const reason of doubtsAbout(outcome.entry)) notice(reason);
        }
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        result.notices.length = noticesBefore;
        result.errors.push({ row, reason: error.message });
      } finally {
        current = 0;
      }
      if (textLeft < 0) throw notImportable('The records of the file are too large together.');
    },
    refuse(reason) {
      result.errors.push({ row: count(), reason });
    },
    notice,
    spend(bytes) {
      spent += bytes;
      if (spent < BYTES_BETWEEN_TURNS) return undefined;
      spent = 0;
      return nextTurn(options.signal);
    },
    reached(bytes, total) {
      options.onRead?.(bytes, total);
    },
  };
}

function textLength({
  customFields = [],
  urls = [],
  passwordHistory = [],
  tags,
  ...texts
}: ImportRecord['entry']): number {
  let length = 0;
  for (const text of Object.values(texts)) if (typeof text === 'string') length += text.length;
  for (const { name, value } of customFields) length += name.length + value.length;
  for (const { uri } of urls) length += uri.length;
  for (const { password } of passwordHistory) length += password.length;
  for (const tag of tags) length += tag.length;
  return length;
}

async function nextTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** The file, or one record, is not in the expected form. `reason` is shown to people, so it never contains content of the file. */
export function notImportable(reason: string, cause?: unknown): Problem {
  return new Problem('invalid', 'IMPORT_UNREADABLE', reason, { cause });
}

/** The formats' names for one-time password secrets. `finishRecord` gives such a name to a secret that it can't use. */
const OTP_NAME = /^(?:one-time password|otp|totp(?: seed|secret)?|timeotp-secret(?:-[a-z0-9]+)?)$/i;

/** Warnings about secrets that were imported unchanged but can't be right. They don't contain the secrets. */
function doubtsAbout({ totpSecret, cardNumber, customFields = [] }: KeptEntry): string[] {
  const doubts: string[] = [];
  const otps = customFields.filter(({ name }) => OTP_NAME.test(name)).map(({ value }) => value);
  if ([...otps, totpSecret ?? ''].some((text) => text !== '' && !usableTotpSecret(text)))
    doubts.push('Its one-time code secret is not valid.');
  if (cardNumber !== undefined && cardNumber !== '' && !passesCheckDigit(cardNumber))
    doubts.push('The check digit of its card number does not match: a digit may be wrong or missing.');
  return doubts;
}
