import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { compileFunction } from 'node:vm';
import { oneFile } from '../../../base/one-file.ts';
import { Problem } from '../../../base/problem.ts';

/**
 * The only build of sql.js that this engine knows: 1.16.0, SQLite 3.54.1. It is the debug build because its imports keep their names; its
 * SQLite code is the same as in the release build. Every file operation of SQLite goes through these imports. Another build may bypass
 * ours, so it must not be used before a look at `WebAssembly.Module.imports` and the tests.
 */
const known = {
  wasm: {
    file: 'sql.js/dist/sql-wasm-debug.wasm',
    sha256: 'd60edf60bd7134326204069ece82255dbe7c017f16664fbe6ed90ba89f277417',
  },
  glue: {
    file: 'sql.js/dist/sql-wasm-debug.js',
    sha256: 'b684febf0c97a577b3ff97279f6e95a440f9242a1500910d787c64cb4b22d155',
  },
} as const;

/** All imports of the known build that open, read, change, find or remove files. system-calls.ts implements each of them. */
export const fileImports = [
  '__syscall_chmod',
  '__syscall_faccessat',
  '__syscall_fchmod',
  '__syscall_fchown32',
  '__syscall_fcntl64',
  '__syscall_fstat64',
  '__syscall_ftruncate64',
  '__syscall_lstat64',
  '__syscall_mkdirat',
  '__syscall_newfstatat',
  '__syscall_openat',
  '__syscall_readlinkat',
  '__syscall_rmdir',
  '__syscall_stat64',
  '__syscall_unlinkat',
  '__syscall_utimensat',
  '_mmap_js',
  '_munmap_js',
  'fd_close',
  'fd_fdstat_get',
  'fd_read',
  'fd_seek',
  'fd_sync',
  'fd_write',
] as const;

/** These imports touch no file of the store, so Emscripten's own implementation stays. */
const otherImports = [
  '__assert_fail',
  '__handle_stack_overflow',
  '__syscall_getcwd',
  '__syscall_geteuid32',
  '_abort_js',
  '_localtime_js',
  '_tzset_js',
  'clock_time_get',
  'emscripten_date_now',
  'emscripten_get_heap_max',
  'emscripten_get_now',
  'emscripten_resize_heap',
  'environ_get',
  'environ_sizes_get',
  'warnLegacyFunction',
] as const;

export interface Build {
  readonly module: WebAssembly.Module;
  /** the text of the published JavaScript */
  readonly glue: string;
  /** A fresh `initSqlJs`. The published one remembers its first instance, but every open store needs an instance of its own. */
  freshFactory(): (options: object) => Promise<unknown>;
}

function unknownBuild(what: string): Problem {
  return new Problem(
    'internal',
    'STORE_ENGINE',
    `The installed sql.js is not the build that the store was made for (${what}). Install exactly sql.js 1.16.0: npm ci`,
  );
}

/** @throws Problem internal STORE_ENGINE when the content of a file is not the known one */
export function checkContent(content: Uint8Array, file: { file: string; sha256: string }): void {
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== file.sha256) throw unknownBuild(`${file.file} has SHA-256 ${found.slice(0, 16)}…`);
}

/** @throws Problem internal STORE_ENGINE when the imports of a module are not exactly the known ones */
export function checkImports(imports: readonly { name: string }[]): void {
  const names = new Set(imports.map(({ name }) => name));
  const expected = new Set<string>([...fileImports, ...otherImports]);
  const surprising = [...names].filter((name) => !expected.has(name));
  const missing = [...expected].filter((name) => !names.has(name));
  if (surprising.length > 0) throw unknownBuild(`it imports ${surprising.join(', ')}`);
  if (missing.length > 0) throw unknownBuild(`it does not import ${missing.join(', ')}`);
}

/** A debug build writes to the terminal each time its memory grows. */
const silent = { log() {}, warn() {}, error() {} };

interface BuildFiles {
  readonly gluePath: string;
  readonly wasm: Buffer<ArrayBuffer>;
  readonly glue: Buffer;
}

function readBuild(require: NodeJS.Require): BuildFiles {
  const file = oneFile();
  if (file !== undefined) {
    const [gluePath, wasm, glue] = [process.execPath, file.read(known.wasm.file), file.read(known.glue.file)];
    return { gluePath, wasm, glue };
  }
  const gluePath = require.resolve(known.glue.file);
  // The synchronous read lets other threads start compiling before this thread gets busy with the work of the caller.
  return { gluePath, wasm: readFileSync(require.resolve(known.wasm.file)), glue: readFileSync(gluePath) };
}

async function load(): Promise<Build> {
  const require = createRequire(import.meta.url);
  const { gluePath, wasm, glue: bytes } = readBuild(require);
  checkContent(wasm, known.wasm);
  checkContent(bytes, known.glue);
  const glue = bytes.toString('utf8');
  const module = await WebAssembly.compile(wasm);
  checkImports(WebAssembly.Module.imports(module));
  const evaluate: unknown = compileFunction(
    glue,
    ['module', 'exports', 'require', '__filename', '__dirname', 'console'],
    {
      filename: gluePath,
    },
  );
  return {
    module,
    glue,
    freshFactory() {
      const published = { exports: {} };
      (evaluate as (...parameters: unknown[]) => void)(
        published,
        published.exports,
        require,
        gluePath,
        dirname(gluePath),
        silent,
      );
      return published.exports as (options: object) => Promise<unknown>;
    },
  };
}

// The compiled code of a checked file is kept, as in Node's module cache: compiling takes longer than opening a store, and the bytes can't
// change.
let build: Promise<Build> | undefined;

export async function loadBuild(): Promise<Build> {
  build ??= load();
  try {
    return await build;
  } catch (error) {
    build = undefined;
    throw error;
  }
}
