import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

it('has its program in the build, as a file of its own that Node reads alone', async () => {
  const file = fileURLToPath(new URL('../../../dist/worker.js', import.meta.url));
  expect(existsSync(file)).toBe(true);
  const worker = new Worker(file, { env: {}, execArgv: [] });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows of a browser
  worker.postMessage({ name: 'of no task', input: null });
  const [said] = (await once(worker, 'message')) as [{ failure: { error: Error } }];
  await worker.terminate();
  expect(said.failure.error.message).toBe('no thread does of no task');
});
