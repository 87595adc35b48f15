import { silentLog } from '../../../src/base/log.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { fromHex, systemRandom } from '../../../src/crypto/bytes.ts';
import type { Database } from '../../../src/platform/store/database.ts';
import { erasureKeysPath, openErasure } from '../../../src/platform/store/erasure.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import type { Context } from '../../../src/service/context.ts';
import { retentionHandler } from '../../../src/shared/conversations/retention-job.ts';

// A process that erases messages whose time is over. It can die at a moment that a test chooses.
//
//   node retention-process.mjs <data directory> <url, or - for the embedded store> <node secret> <ms of its clock> <inside|after|never> <number>
//
// It ends itself like `kill -9` with its so many-th transaction: `inside` when all of it is written, or `after` it was committed.
// Lines:
//   done         nothing is left to erase

const [dataDir = '', url = '-', secret = '', now = '0', where = 'never', number = '0'] = process.argv.slice(2);
const { config } = await loadConfig({ flags: { 'data-dir': dataDir }, env: {}, home: dataDir, cwd: dataDir });
await using database = await openDatabase({
  dataDir,
  url: url === '-' ? undefined : url,
  command: 'retention-process',
});

let count = 0;
function dieIf(moment: string): void {
  if (moment === where && count === Number(number)) process.kill(process.pid, 'SIGKILL');
}
const transaction: Database['transaction'] = async (body) => {
  const result = await database.transaction(async (db) => {
    const made = await body(db);
    count += 1;
    dieIf('inside');
    return made;
  });
  dieIf('after');
  return result;
};
const store: Database = { ...database, transaction };
const ctx = {
  config,
  keys: deriveNodeKeys(fromHex(secret)),
  store,
  db: store.db,
  clock: { now: () => Number(now) },
  random: systemRandom,
  log: silentLog,
  erasure: openErasure({ path: erasureKeysPath(config), store, random: systemRandom }),
  realtime: { id: 'process', endSessions: async () => undefined, deliver: () => undefined, spread: () => undefined },
} as unknown as Context;
const job = { attempt: 1, signal: new AbortController().signal, finish: async () => undefined };
await retentionHandler(ctx)(null, job as never);
process.stdout.write('done\n');
