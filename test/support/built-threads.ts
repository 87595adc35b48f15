import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { inject } from 'vitest';
import { startThread as start, type ThreadOptions } from '../../src/platform/workers/start-thread.ts';

export { isSource } from '../../src/platform/workers/start-thread.ts';

/**
 * In place of the module that it calls (see vitest.config.ts): threads and processes run what global-setup.ts has built of src/node/worker.ts.
 * From source a thread would compile all of it first, which takes four times as long, and tests start them by the hundred.
 */
export function ownThreads(): URL {
  return pathToFileURL(join(inject('bundles'), 'worker.js'));
}

export function startThread(options: ThreadOptions): Worker {
  return start({ ...options, program: options.program ?? ownThreads() });
}
