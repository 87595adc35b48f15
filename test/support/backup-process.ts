import { openBackup } from '../../src/platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../src/platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../src/platform/store/backup/write-backup.ts';
import { Problem } from '../../src/base/problem.ts';
import { openBlocks } from '../../src/platform/store/blocks/blocks.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';

const { identity } = deriveNodeKeys(new Uint8Array(32).fill(7));

// A process that writes or restores a backup, for a test that limits what it may write.
//
//   node backup-process.mjs write|restore <data directory> <file>
//
// One line of JSON: what went wrong, or `{}`.

const [work, dataDir = '', file = ''] = process.argv.slice(2);
try {
  if (work === 'write') {
    await using database = await openDatabase({ dataDir, command: 'backup-process' });
    const options = { file, identity, version: '1.0.0', now: 0 };
    await writeBackup({ database, blocks: openBlocks(dataDir) }, options);
  } else {
    await using backup = await openBackup(file);
    await restoreBackup(backup, { dataDir, force: true });
  }
  process.stdout.write('{}\n');
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  const { kind, code, message } = error;
  process.stdout.write(`${JSON.stringify({ kind, code, message })}\n`);
}
