import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/platform/store/open.ts';

// The start of a server that is killed while it brings an older store up to date.
//
//   node dying-update.mjs <data directory> <migrations>
//
// It dies in the transaction of the migrations, when so many of them have run.

const [dataDir = '', migrations = '1'] = process.argv.slice(2);
const copies = join(dataDir, 'before-update');
let ran = 0;

/** Each migration asks for the time when it has run, and whoever asks before the copy is there is something else. */
function now(): number {
  const isCopied = existsSync(copies) && readdirSync(copies).some((name) => name.endsWith('.db'));
  if (isCopied && (ran += 1) === Number(migrations)) process.kill(process.pid, 'SIGKILL');
  return Date.now();
}

await using _ = await openDatabase({ dataDir, now, onUpdate: () => process.stdout.write('up to date\n') });
