import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { builtFolder } from '../../base/built-folder.ts';
import { oneFile } from '../../base/one-file.ts';

export interface ThreadOptions {
  readonly name: string;
  /** MiB of JavaScript values. Above this limit, only the thread ends, with ERR_WORKER_OUT_OF_MEMORY; the process continues. */
  readonly memory: number;
  /** see thread-state.ts */
  readonly state: Int32Array;
  /** the program of the thread; undefined: src/node/worker.ts */
  readonly program: URL | undefined;
}

export function startThread({ name, memory, state, program }: ThreadOptions): Worker {
  const options: WorkerOptions = {
    name,
    workerData: state,
    resourceLimits: { maxOldGenerationSizeMb: memory },
    env: {},
    // The Node options of this process, such as modules to preload, are not passed to its threads.
    execArgv: [],
  };
  const own = program === undefined ? oneFile() : undefined;
  if (own !== undefined) {
    const { text, env } = own.thread();
    return new Worker(text, { ...options, env, eval: true });
  }
  const file = program ?? ownThreads();
  if (!isSource(file)) return new Worker(file, options);
  // The compiler needs TMPDIR for its cache.
  return new Worker(fromSource(file), { ...options, env: { TMPDIR: tmpdir() } });
}

let built: URL | undefined;

/** What is all of worker.js in dist/. */
const nextName = /^require\(["']\.\/(worker-\w+\.js)["']\);?\s*$/;

/** The program of the threads of this very build: worker.js in dist/ names it, and another build replaces that file. */
export function ownThreads(): URL {
  if (built !== undefined) return built;
  const folder = builtFolder();
  if (folder === undefined) {
    if (isSource(new URL(import.meta.url))) return new URL('../../node/worker.ts', import.meta.url);
    throw new Error('worker.js is not in the folder of the program: build it again');
  }
  const [, name = 'worker.js'] = nextName.exec(readFileSync(join(folder, 'worker.js'), 'utf8')) ?? [];
  built = pathToFileURL(join(folder, name));
  return built;
}

export function isSource({ pathname }: URL): boolean {
  return pathname.endsWith('.ts');
}

/** Threads don't inherit the compiler (tsx) of their process, so their program must register it. */
function fromSource(program: URL): URL {
  const compiler = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const text =
    `import { register } from ${JSON.stringify(pathToFileURL(compiler))};` +
    `register(); await import(${JSON.stringify(program)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}
