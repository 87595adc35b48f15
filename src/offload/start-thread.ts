import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  readonly name: string;
  /** MiB of JavaScript values. Beyond, the thread ends with ERR_WORKER_OUT_OF_MEMORY, and nothing else does. */
  readonly memory: number;
  /** where it isn't src/worker.ts */
  readonly program: URL | undefined;
}

export function startThread({ name, memory, program }: ThreadOptions): Worker {
  return new Worker(
    isSource() ? fromSource(program ?? new URL('../worker.ts', import.meta.url)) : (program ?? built()),
    {
      name,
      resourceLimits: { maxOldGenerationSizeMb: memory },
      // Nothing of the environment is a thread's to know; the sources' compiler keeps its work in this folder.
      env: isSource() ? { TMPDIR: tmpdir() } : {},
      // Options of Node for this process, such as modules to preload, are not passed to its threads.
      execArgv: [],
    },
  );
}

function isSource(): boolean {
  return import.meta.url.endsWith('.ts');
}

/** In a build it is the file worker.js of dist/, however deep below dist/ this code has come to lie. */
function built(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = join(folder, 'worker.js');
    if (existsSync(file)) return file;
    const above = dirname(folder);
    if (above === folder) throw new Error('worker.js is not in the folder of the program: build it again');
    folder = above;
  }
}

/** Threads know nothing of the compiler that their process was started with. */
function fromSource(program: URL): URL {
  const compiler = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const text =
    `import { register } from ${JSON.stringify(pathToFileURL(compiler))};` +
    `register(); await import(${JSON.stringify(program)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`);
}
