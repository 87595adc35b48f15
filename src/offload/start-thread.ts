import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { oneFile } from '../one-file.ts';

export interface ThreadOptions {
  readonly name: string;
  /** MiB of JavaScript values. Above this limit, only the thread ends, with ERR_WORKER_OUT_OF_MEMORY; the process continues. */
  readonly memory: number;
  /** see thread-state.ts */
  readonly state: Int32Array;
  /** the program of the thread; undefined: src/worker.ts */
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
  const file = program ?? ownProgram();
  if (!isSource(file)) return new Worker(file, options);
  // The compiler needs TMPDIR for its cache.
  return new Worker(fromSource(file), { ...options, env: { TMPDIR: tmpdir() } });
}

function ownProgram(): URL {
  return isSource(new URL(import.meta.url)) ? new URL('../worker.ts', import.meta.url) : built();
}

function isSource({ pathname }: URL): boolean {
  return pathname.endsWith('.ts');
}

/** The program in a build: worker.js in dist/. The bundler may put this code at any depth below dist/, so it searches upwards. */
function built(): URL {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = join(folder, 'worker.js');
    if (existsSync(file)) return pathToFileURL(file);
    const above = dirname(folder);
    if (above === folder) throw new Error('worker.js is not in the folder of the program: build it again');
    folder = above;
  }
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
