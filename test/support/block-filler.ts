import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../src/problem.ts';
import { openBlocks } from '../../src/store/blocks/blocks.ts';

// A process under a limit on the size of files that puts blocks of 50,000 bytes, and one of a megabyte in between.
//
//   node block-filler.mjs <data directory>

const [dataDir = ''] = process.argv.slice(2);
const blocks = openBlocks(dataDir);

async function putSmall(filling: number): Promise<void> {
  const { created } = await blocks.put(new Uint8Array(50_000).fill(filling));
  process.stdout.write(`small ${created}\n`);
}

await putSmall(1);
try {
  await blocks.put(new Uint8Array(1_000_000));
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stdout.write(`large ${error.code}\n`);
}
process.stdout.write(`left ${(await readdir(join(dataDir, 'blocks', 'tmp'))).length}\n`);
await putSmall(2);
