import type { EntryType } from '../../../../contract/passvault/entry.ts';
import type { ImportColumns, ImportFormat } from '../../../../contract/passvault/transfer.ts';
import { task } from '../../../../offload/task.ts';
import type { ImportRemark } from './import-run.ts';

export interface ImportJob {
  readonly format: string;
  /** base 64 */
  readonly fileContent: string;
  readonly password?: string | undefined;
  readonly columns?: ImportColumns | undefined;
  readonly includeRecycleBin: boolean;
  /** whether records are to be compared with others */
  readonly withKeys: boolean;
}

/** What a thread read of a file; see `openBatch` for what is packed. */
export interface ReadFile {
  readonly format: ImportFormat;
  /** each some milliseconds to open */
  readonly batches: Uint8Array[];
  /** what the attachments of records refer to */
  readonly contents: readonly Uint8Array[];
  /** of the records in their order, those of all batches */
  readonly types: readonly EntryType[];
  /** of the same, their `duplicateKey`; empty where nobody compares */
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
 * Everything that a file makes for, from base 64 to records, with the derivation of its key: neither this thread nor the queue
 * of sign-ins knows of it. One at a time, members taking turns and having one place each, so that whatever files ask for takes one core at most.
 */
export const importTask = task<ImportJob, ReadFile, ReadSoFar>({
  name: 'read-import',
  // 50 MiB of XML make some 300 MiB of elements, and its base 64 and its records stand beside it.
  memory: 768,
  atOnce: 1,
  queued: 16,
  onePerOwner: 'Another import of yours is running or waiting.',
});
