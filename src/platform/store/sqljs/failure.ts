import { Problem } from '../../../base/problem.ts';
import { isFullDisk, storeFull } from '../full-disk.ts';
import { UniqueViolation } from '../violation.ts';

/** Primary result codes, https://www.sqlite.org/rescode.html */
export const result = {
  ok: 0,
  noMemory: 7,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  constraint: 19,
  notADatabase: 26,
  row: 100,
  done: 101,
} as const;

/** An error with SQLite's own message: a mistake in our SQL, or a constraint other than uniqueness. */
class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const storeDamaged = (cause?: unknown): Problem =>
  new Problem(
    'internal',
    'STORE_DAMAGED',
    'The store is damaged. Stop the server, keep a copy of the data directory, and restore a backup: conclave admin store restore',
    { cause },
  );

export const notAStore = (what: string): Problem =>
  new Problem(
    'invalid',
    'STORE_NOT_A_STORE',
    `store.db in the data directory is not a store of Conclave (${what}). Move it away to begin a new one, or restore a backup: ` +
      'conclave admin store restore',
  );

/** @param part kind and name of a part of the database, such as "trigger x" */
export const storeChanged = (part: string): Problem =>
  new Problem(
    'invalid',
    'STORE_CHANGED',
    `The database has the ${part}, which Conclave did not make. Find out who changed it; ` +
      'remove it with sqlite3, or restore a backup: conclave admin store restore',
  );

/** "UNIQUE constraint failed: members.email_key, members.type" */
function violation(message: string): UniqueViolation | undefined {
  const list = /^UNIQUE constraint failed: (.+)$/.exec(message)?.[1];
  if (list === undefined) return undefined;
  const columns = list.split(', ').map((name) => name.split('.'));
  return new UniqueViolation(
    columns[0]?.[0] ?? '',
    columns.map(([, column]) => column ?? ''),
  );
}

/**
 * @param code primary result code
 * @param fault node's code of the newest failed file operation, if any. SQLite reports a disk that is full as an ordinary error if this
 *   happens while flushing or while making a file
 */
export function failureOf(code: number, message: string, fault: string | undefined): Error {
  const cause = new SqliteError(code, message);
  switch (code) {
    case result.full:
      return storeFull(cause);
    case result.corrupt:
    case result.notADatabase:
      return storeDamaged(cause);
    case result.constraint:
      return violation(message) ?? cause;
    case result.inputOutput:
    case result.cantOpen:
    case result.readOnly:
      if (isFullDisk(fault)) return storeFull(cause);
      return new Problem(
        'unavailable',
        'STORE_UNAVAILABLE',
        `The files of the store cannot be ${code === result.readOnly ? 'written' : 'used'}${fault === undefined ? '' : ` (${fault})`}. ` +
          'Check the disk and the permissions of the data directory',
        { cause },
      );
    case result.noMemory:
      return new Problem('unavailable', 'STORE_UNAVAILABLE', 'The store has no memory left for this', { cause });
    default:
      return cause;
  }
}
