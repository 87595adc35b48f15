import { pathToFileURL } from 'node:url';
import { createOffload } from '../../../src/platform/workers/offload.ts';
import { apart } from './tasks.ts';

/** A program that does nothing but ask for work in a process of its own. */
async function ask(): Promise<void> {
  {
    await using offload = createOffload(pathToFileURL(process.argv[2] ?? ''));
    process.stdout.write(await offload.run(apart.count, 3));
  }
  process.stdout.write(', and ended');
}

await ask();
