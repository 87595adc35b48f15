import type { KeptEntry } from '../../../../contract/passvault/entry.ts';

export interface ExportedAttachment {
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes?: number;
  /** Without content, only name, type and size are exported. */
  readonly content?: Uint8Array;
}

/** An entry with its times (ISO 8601) and attachments, where there are any. */
export type ExportedEntry = KeptEntry & {
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** When the password was last set. */
  readonly passwordChangedAt?: string;
  readonly attachments?: readonly ExportedAttachment[];
};

export interface ExportOptions {
  readonly signal?: AbortSignal;
}

/** Entries that are exported before other work gets a turn: some milliseconds of work. */
export const ENTRIES_BETWEEN_TURNS = 200;

export async function nextTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}
