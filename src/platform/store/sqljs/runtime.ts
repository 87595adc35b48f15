import { Problem } from '../../../base/problem.ts';
import type { Build } from './build.ts';
import type { Files } from './files.ts';
import { callable, type SqliteExports } from './exports.ts';
import { emptyMemory, refreshMemory, type Memory } from './memory.ts';
import { systemCalls, type Imports, type Place } from './system-calls.ts';

export interface Runtime {
  readonly exports: SqliteExports;
  readonly memory: Memory;
  /** Gives the instance back for the next store. The caller has closed the database and has freed its own allocations before. */
  release(): void;
}

interface Idle {
  readonly build: Build;
  readonly runtime: Runtime;
  readonly place: Place;
}

/**
 * Instances that were given back are kept, for the same reason as the compiled code. Each has 16 MiB, and V8 frees this memory with a full
 * garbage collection after every fourth instance. Without reuse, code that opens stores one after another (a copy, the tests) would spend
 * three quarters of its time on that.
 */
const idle: Idle[] = [];
const mostIdle = 4;
/** Larger instances are not kept, because the memory of WASM never shrinks. */
const largestIdle = 2 ** 25;

/** Returns a running instance of sql.js, a returned or a fresh one. Its files under `storeFolder` are those of `files`. */
export async function startRuntime(build: Build, files: Files): Promise<Runtime> {
  const at = idle.findLastIndex((one) => one.build === build);
  const [kept] = at === -1 ? [] : idle.splice(at, 1);
  if (kept === undefined) return await freshRuntime(build, files);
  kept.place.files = files;
  return kept.runtime;
}

/** We call SQLite in the instance directly: the classes of sql.js copy each value twice and lose SQLite's error codes. */
async function freshRuntime(build: Build, files: Files): Promise<Runtime> {
  const place: Place = { files };
  const memory = emptyMemory();
  let wasmMemory: WebAssembly.Memory | undefined;
  let started: SqliteExports | undefined;

  function instantiate(
    imports: { env: Imports; wasi_snapshot_preview1: Imports },
    receive: (instance: object) => void,
  ): object {
    const grow = imports.env['emscripten_resize_heap'] as (size: number) => number;
    const ours: Imports = {
      ...systemCalls(place, memory, imports.env),
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
          // An error thrown here would be an unhandled rejection inside Emscripten, and the promise below would never settle.
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
  const runtime: Runtime = {
    exports: started,
    memory,
    release() {
      if (idle.length < mostIdle && memory.bytes.length <= largestIdle) idle.push({ build, runtime, place });
    },
  };
  return runtime;
}
