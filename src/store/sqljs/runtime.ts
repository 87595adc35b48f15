import { Problem } from '../../problem.ts';
import type { Build } from './build.ts';
import type { Files } from './files.ts';
import { callable, type SqliteExports } from './exports.ts';
import { emptyMemory, refreshMemory, type Memory } from './memory.ts';
import { systemCalls, type Imports } from './system-calls.ts';

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
  let wasmMemory: WebAssembly.Memory | undefined;
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
        if (wasmMemory) refreshMemory(memory, wasmMemory);
        return grown;
      },
    };
    const instance = new WebAssembly.Instance(build.module, {
      env: { ...imports.env, ...ours },
      wasi_snapshot_preview1: { ...imports.wasi_snapshot_preview1, ...ours },
    });
    wasmMemory = instance.exports['memory'] as WebAssembly.Memory;
    refreshMemory(memory, wasmMemory);
    started = callable(instance.exports);
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
