import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../src/base/problem.ts';
import { beginMessage } from '../../src/crypto/formats/file-content/chunked-encryption.ts';
import { openBlocks } from '../../src/platform/store/blocks/blocks.ts';
import type { Sealing } from '../../src/platform/store/blocks/seal-file.ts';

// A process under a limit on the size of files that puts blocks of 50,000 bytes, and two of a megabyte in between, of which this thread
// writes one, and another thread the other.
//
//   node block-filler.mjs <data directory>

const [dataDir = ''] = process.argv.slice(2);
const blocks = openBlocks(dataDir);

async function putSmall(filling: number): Promise<void> {
  const { created } = await blocks.put(new Uint8Array(50_000).fill(filling));
  process.stdout.write(`small ${created}\n`);
}

await putSmall(1);
async function putLarge(name: string, sealing?: Sealing): Promise<void> {
  try {
    await blocks.put(new Uint8Array(1_000_000), undefined, sealing);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stdout.write(`${name} ${error.code}\n`);
  }
}

await putLarge('large');
const message = beginMessage(new Uint8Array(32), new Uint8Array(0), new Uint8Array(24));
await putLarge('sealed', { ...message, checksums: [], accept: () => undefined });
process.stdout.write(`left ${(await readdir(join(dataDir, 'blocks', 'tmp'))).length}\n`);
await putSmall(2);
