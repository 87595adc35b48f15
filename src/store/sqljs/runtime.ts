import { Problem } from '../../problem.ts';
import type { Build } from './build.ts';
import type { Files } from './files.ts';
import { emptyMemory, refreshMemory, type Memory } from './memory.ts';
import { systemCalls, type Imports } from './system-calls.ts';

/** The functions of SQLite that we call; pointers and sizes are numbers. https://www.sqlite.org/c3ref/funclist.html */
export interface SqliteExports {
  readonly memory: WebAssembly.Memory;
  malloc(size: number): number;
  free(pointer: number): void;
  sqlite3_open(path: number, result: number): number;
  sqlite3_close_v2(db: number): number;
  sqlite3_prepare_v2(db: number, sql: number, size: number, statement: number, tail: number): number;
  sqlite3_finalize(statement: number): number;
  sqlite3_step(statement: number): number;
  sqlite3_reset(statement: number): number;
  sqlite3_clear_bindings(statement: number): number;
  sqlite3_bind_blob(statement: number, index: number, value: number, size: number, destructor: number): number;
  sqlite3_bind_double(statement: number, index: number, value: number): number;
  sqlite3_bind_int(statement: number, index: number, value: number): number;
  sqlite3_bind_text(statement: number, index: number, value: number, size: number, destructor: number): number;
  sqlite3_column_count(statement: number): number;
  sqlite3_column_name(statement: number, column: number): number;
  sqlite3_column_type(statement: number, column: number): number;
  sqlite3_column_double(statement: number, column: number): number;
  sqlite3_column_text(statement: number, column: number): number;
  sqlite3_column_blob(statement: number, column: number): number;
  sqlite3_column_bytes(statement: number, column: number): number;
  sqlite3_changes(db: number): number;
  sqlite3_errmsg(db: number): number;
}

export interface Runtime {
  readonly exports: SqliteExports;
  readonly memory: Memory;
}

/**
 * A running instance of sql.js whose files under `storeFolder` are those of `files`. We use its SQLite directly: the classes of
 * sql.js copy each value twice and lose SQLite's error codes.
 */
export async function startRuntime(build: Build, files: Files): Promise<Runtime> {
  const memory = emptyMemory();
  let started: SqliteExports | undefined;

  function instantiate(
    imports: { env: Imports; wasi_snapshot_preview1: Imports },
    receive: (instance: object) => void,
  ): object {
    const grow = imports.env['emscripten_resize_heap'] as (size: number) => number;
    const ours: Imports = {
      ...systemCalls(files, memory, imports.env),
      emscripten_resize_heap: (size) => {
        const grown = grow(size as number);
        if (started) refreshMemory(memory, started.memory);
        return grown;
      },
    };
    const instance = new WebAssembly.Instance(build.module, {
      env: { ...imports.env, ...ours },
      wasi_snapshot_preview1: { ...imports.wasi_snapshot_preview1, ...ours },
    });
    started = instance.exports as unknown as SqliteExports;
    refreshMemory(memory, started.memory);
    receive(instance);
    return {};
  }

  await new Promise<void>((resolve, reject) => {
    const options = {
      instantiateWasm(imports: Parameters<typeof instantiate>[0], receive: (instance: object) => void): object {
        try {
          return instantiate(imports, receive);
        } catch (error) {
          // Thrown from here it would be an unhandled rejection inside Emscripten, and the promise below would never settle.
          reject(error instanceof Error ? error : new Error(String(error)));
          return {};
        }
      },
    };
    build
      .freshFactory()(options)
      .then(() => resolve(), reject);
  });
  if (!started) throw new Problem('internal', 'STORE_ENGINE', 'sql.js did not start');
  return { exports: started, memory };
}
