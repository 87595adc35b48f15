import { result } from './failure.ts';
import { allocate } from './memory.ts';
import type { Runtime } from './runtime.ts';

export type Row = Record<string, string | number | Uint8Array | null>;

export interface Statement {
  readonly handle: number;
  readonly names: readonly string[];
  readonly changesSchema: boolean;
  /** the number of the execution that used it last, counted over all statements */
  lastUse: number;
  /** how many parameters the last execution bound */
  bound: number;
}

/** Memory for the values of one execution. No other execution runs meanwhile, so each binding may point into it. */
export interface Scratch {
  pointer: number;
  size: number;
}

const type = { integer: 1, float: 2, text: 3, blob: 4 } as const;
/** SQLITE_STATIC: SQLite doesn't copy the value, which must stay in place until the statement is reset */
const stays = 0;

/** Bytes that a value takes in memory. An upper bound from `value.length` must not be used: Node died of it (scripts/bench/README.md). */
function room(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 0;
}

function reserve({ exports }: Runtime, scratch: Scratch, parameters: readonly unknown[]): void {
  let size = 1;
  for (const value of parameters) size += room(value);
  if (size <= scratch.size) return;
  const pointer = allocate(exports, Math.max(size, 2 * scratch.size));
  exports.free(scratch.pointer);
  scratch.pointer = pointer;
  scratch.size = Math.max(size, 2 * scratch.size);
}

/**
 * Binds strings, finite numbers, null and bytes, the values that columns of both engines hold. A boolean must be 0 or 1 already.
 * @returns a result code of SQLite
 */
export function bindValues(
  runtime: Runtime,
  statement: Statement,
  parameters: readonly unknown[],
  scratch: Scratch,
): number {
  const { exports, memory } = runtime;
  const { handle } = statement;
  reserve(runtime, scratch, parameters);
  // If a statement gets fewer values than last time, the old values must be cleared.
  if (parameters.length < statement.bound) exports.sqlite3_clear_bindings(handle);
  statement.bound = parameters.length;
  let end = scratch.pointer;
  for (let index = 0; index < parameters.length; index += 1) {
    const value = parameters[index];
    let code: number;
    if (typeof value === 'string') {
      const size = memory.bytes.write(value, end);
      code = exports.sqlite3_bind_text(handle, index + 1, end, size, stays);
      end += size;
    } else if (typeof value === 'number' && Number.isFinite(value)) {
      code =
        value === (value | 0)
          ? exports.sqlite3_bind_int(handle, index + 1, value)
          : // Exact for every integer that a number holds; the column's type turns it back into one.
            exports.sqlite3_bind_double(handle, index + 1, value);
    } else if (value instanceof Uint8Array) {
      memory.bytes.set(value, end);
      code = exports.sqlite3_bind_blob(handle, index + 1, end, value.length, stays);
      end += value.length;
    } else if (value === null) {
      // SQLite treats a null pointer as NULL.
      code = exports.sqlite3_bind_text(handle, index + 1, 0, 0, stays);
    } else {
      throw new TypeError(`parameter ${index + 1} is ${typeof value}: bind strings, finite numbers, bytes or null`);
    }
    if (code !== result.ok) return code;
  }
  return result.ok;
}

export function readRow({ exports, memory }: Runtime, { handle, names }: Statement): Row {
  const row: Row = {};
  for (let column = 0; column < names.length; column += 1) {
    const name = names[column] as string;
    switch (exports.sqlite3_column_type(handle, column)) {
      case type.integer:
      case type.float:
        row[name] = exports.sqlite3_column_double(handle, column);
        break;
      case type.text: {
        const start = exports.sqlite3_column_text(handle, column);
        row[name] = memory.bytes.toString('utf8', start, start + exports.sqlite3_column_bytes(handle, column));
        break;
      }
      case type.blob: {
        const start = exports.sqlite3_column_blob(handle, column);
        const size = exports.sqlite3_column_bytes(handle, column);
        row[name] = new Uint8Array(memory.bytes.subarray(start, start + size));
        break;
      }
      default:
        row[name] = null;
    }
  }
  return row;
}
