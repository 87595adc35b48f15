import type { EntryType } from '../../../../contract/passvault/entry.ts';
import type { ImportColumns, ImportFormat } from '../../../../contract/passvault/transfer.ts';
import { task } from '../../../../service/ports/task.ts';
import type { ImportRemark } from './import-run.ts';

export interface ImportJob {
  readonly format: string;
  /** base 64 */
  readonly fileContent: string;
  readonly password?: string | undefined;
  readonly columns?: ImportColumns | undefined;
  readonly includeRecycleBin: boolean;
  /** whether the records will be compared with others */
  readonly withKeys: boolean;
}

/** The result of reading a file in a thread; `openBatch` describes the packed form. */
export interface ReadFile {
  readonly format: ImportFormat;
  /** packed batches; each takes some milliseconds to open */
  readonly batches: Uint8Array[];
  /** contents that the records' attachments refer to */
  readonly contents: readonly Uint8Array[];
  /** types of the records of all batches, in their order */
  readonly types: readonly EntryType[];
  /** `duplicateKey` of the same records; empty if they won't be compared */
  readonly keys: readonly string[];
  readonly skipped: number;
  readonly errors: readonly ImportRemark[];
  readonly notices: readonly ImportRemark[];
}

export interface ReadSoFar {
  readonly done: number;
  readonly total: number;
}

/**
 * Does all work on a file, from base64 to records, including its key derivation, without blocking this thread or the queue of sign-ins. One
 * import runs at a time. Members take turns and have one place each, so imports never use more than one core.
 */
export const importTask = task<ImportJob, ReadFile, ReadSoFar>({
  name: 'read-import',
  // 50 MiB of XML become some 300 MiB of elements. Its base64 and its records are in memory too.
  memory: 768,
  atOnce: 1,
  queued: 16,
  apart: true,
  onePerOwner: 'Another import of yours is running or waiting.',
});
