import { open } from 'node:fs/promises';
import { openBlocks } from '../../src/platform/store/blocks/blocks.ts';

// A process that receives a block in pieces of 10,000 bytes, but never makes it one. After each piece it prints how much has arrived.
//
//   node block-receiver.mjs <data directory> <id> <file with the content>

const [dataDir = '', id = '', path = ''] = process.argv.slice(2);
const incoming = await openBlocks(dataDir).receive(id);
const file = await open(path);
for (;;) {
  const { bytesRead, buffer } = await file.read(new Uint8Array(10_000), 0, 10_000, incoming.size);
  if (bytesRead === 0) await new Promise((resolve) => setTimeout(resolve, 1_000));
  else await incoming.append(buffer.subarray(0, bytesRead));
  process.stdout.write(`${incoming.size}\n`);
}
