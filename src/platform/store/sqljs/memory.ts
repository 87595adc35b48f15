import type { SqliteExports } from './exports.ts';
import { failureOf, result } from './failure.ts';

/** Views on the memory of one WASM instance. They are replaced when the memory grows: never keep one across a call into WASM. */
export interface Memory {
  bytes: Buffer;
  view: DataView;
}

export function emptyMemory(): Memory {
  return { bytes: Buffer.alloc(0), view: new DataView(new ArrayBuffer(0)) };
}

export function refreshMemory(memory: Memory, wasm: WebAssembly.Memory): void {
  memory.bytes = Buffer.from(wasm.buffer);
  memory.view = new DataView(wasm.buffer);
}

/** Reads a NUL-terminated UTF-8 string. */
export function readText(memory: Memory, pointer: number): string {
  return memory.bytes.toString('utf8', pointer, memory.bytes.indexOf(0, pointer));
}

/** @throws Problem unavailable STORE_UNAVAILABLE when WASM gets no more memory; its limit is 2 GiB */
export function allocate(exports: Pick<SqliteExports, 'malloc'>, size: number): number {
  const pointer = exports.malloc(size);
  if (pointer === 0) throw failureOf(result.noMemory, 'out of memory', undefined);
  return pointer;
}
