import { Problem } from '../../../base/problem.ts';
import { failureOf, result } from './failure.ts';
import { storeFolder, type Files } from './files.ts';
import { allocate, readText } from './memory.ts';
import type { Runtime } from './runtime.ts';
import { bindValues, readRow, type Row, type Statement } from './statement.ts';

export interface Outcome {
  readonly rows: Row[];
  /** rows that the newest INSERT, UPDATE or DELETE changed */
  readonly changes: number;
}

/** One open database. All calls are synchronous; their errors come from failure.ts. */
export interface Connection {
  run(sql: string, parameters: readonly unknown[]): Outcome;
  /** A prepared statement without parameters and rows, for the commands around each transaction. */
  command(sql: string): () => void;
  /** Drops prepared statements if the schema may have changed since they were made. */
  forgetIfChanged(): void;
  close(): void;
}

/** The least recently used statement is dropped first. A request uses about ten distinct statements, the whole program a few hundred. */
const keptStatements = 300;

const changesSchema = /^\s*(?:create|alter|drop|pragma|reindex|vacuum|attach|detach)\b/i;

/** WASM ended in the middle of a call, so the state of its memory is unknown. SQLite must not write from it. */
function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError;
}

export function openConnection(runtime: Runtime, files: Files, name: string): Connection {
  const { exports, memory } = runtime;
  const statements = new Map<string, Statement>();
  const commands: number[] = [];
  /** SQLite puts here the two pointers that it returns beside a result code */
  const slot = allocate(exports, 8);
  const scratch = { pointer: allocate(exports, 4096), size: 4096 };
  let uses = 0;
  let schemaChanged = false;
  let closed = false;
  let trapped = false;
  let db = 0;

  function failure(code: number): Error {
    const error = failureOf(code, readText(memory, exports.sqlite3_errmsg(db)), files.lastFault);
    files.lastFault = undefined;
    return error;
  }

  function check(code: number): void {
    if (code !== result.ok) throw failure(code);
  }

  /** Copies a text to newly allocated memory as NUL-terminated UTF-8; the caller frees it. */
  function allocateText(text: string): number {
    const size = Buffer.byteLength(text);
    const pointer = allocate(exports, size + 1);
    memory.bytes.write(text, pointer, size);
    memory.bytes[pointer + size] = 0;
    return pointer;
  }

  function prepare(sql: string): number {
    const text = allocateText(sql);
    try {
      check(exports.sqlite3_prepare_v2(db, text, -1, slot, slot + 4));
      const handle = memory.view.getUint32(slot, true);
      if (handle === 0) throw new Error('a statement without SQL');
      if (/[^\s;]/.test(readText(memory, memory.view.getUint32(slot + 4, true)))) {
        exports.sqlite3_finalize(handle);
        throw new Error('several statements in one');
      }
      return handle;
    } finally {
      exports.free(text);
    }
  }

  function obtain(sql: string): Statement {
    const kept = statements.get(sql);
    uses += 1;
    if (kept) {
      kept.lastUse = uses;
      return kept;
    }
    const handle = prepare(sql);
    const names: string[] = [];
    for (let column = 0; column < exports.sqlite3_column_count(handle); column += 1)
      names.push(readText(memory, exports.sqlite3_column_name(handle, column)));
    const statement = { handle, names, bound: 0, lastUse: uses, changesSchema: changesSchema.test(sql) };
    if (statements.size === keptStatements) dropLeastUsed();
    statements.set(sql, statement);
    return statement;
  }

  function dropLeastUsed(): void {
    let oldest: [string, Statement] | undefined;
    for (const entry of statements) if (!oldest || entry[1].lastUse < oldest[1].lastUse) oldest = entry;
    if (oldest) drop(...oldest);
  }

  function drop(sql: string, statement: Statement): void {
    statements.delete(sql);
    exports.sqlite3_finalize(statement.handle);
  }

  function forget(): void {
    if (trapped) return;
    for (const [sql, statement] of statements) drop(sql, statement);
  }

  function run(sql: string, parameters: readonly unknown[]): Outcome {
    // SQLite must not be called on a closed connection: its memory may hold anything by then.
    if (closed) throw new Problem('unavailable', 'STORE_CLOSED', 'The store is closed');
    if (trapped)
      throw new Problem(
        'internal',
        'STORE_ENGINE',
        'The store stopped in the middle of an operation. Restart the server',
      );
    const statement = obtain(sql);
    const { handle } = statement;
    const rows: Row[] = [];
    try {
      check(bindValues(runtime, statement, parameters, scratch));
      let code = exports.sqlite3_step(handle);
      while (code === result.row) {
        rows.push(readRow(runtime, statement));
        code = exports.sqlite3_step(handle);
      }
      if (code !== result.done) throw failure(code);
    } catch (error) {
      trapped ||= isTrap(error);
      throw error;
    } finally {
      if (!trapped) exports.sqlite3_reset(handle);
    }
    const changes = exports.sqlite3_changes(db);
    if (statement.changesSchema) {
      // Kept statements carry the old names of columns.
      forget();
      schemaChanged = true;
    }
    return { rows, changes };
  }

  const path = allocateText(`${storeFolder}/${name}`);
  const opened = exports.sqlite3_open(path, slot);
  exports.free(path);
  db = memory.view.getUint32(slot, true);
  if (opened !== result.ok) {
    const error = failure(opened);
    exports.sqlite3_close_v2(db);
    files.closeAll();
    throw error;
  }

  return {
    run,
    command(sql) {
      const handle = prepare(sql);
      commands.push(handle);
      return () => {
        if (closed || trapped) throw new Problem('unavailable', 'STORE_CLOSED', 'The store is closed');
        const code = exports.sqlite3_step(handle);
        const error = code === result.done || code === result.row ? undefined : failure(code);
        exports.sqlite3_reset(handle);
        if (error) throw error;
      };
    },
    forgetIfChanged() {
      if (schemaChanged) forget();
      schemaChanged = false;
    },
    close() {
      if (closed) return;
      closed = true;
      if (trapped) return files.closeAll();
      forget();
      for (const handle of commands) exports.sqlite3_finalize(handle);
      const left = exports.sqlite3_close_v2(db);
      files.closeAll();
      for (const pointer of [slot, scratch.pointer]) exports.free(pointer);
      if (left === result.ok) runtime.release();
    },
  };
}
