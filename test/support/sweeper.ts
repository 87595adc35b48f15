import { systemRandom } from '../../src/crypto/bytes.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import type { Context } from '../../src/service/context.ts';
import { sweep } from '../../src/service/sweep.ts';
import { silentLog } from '../../src/base/log.ts';

// A process that sweeps through rows, three in each transaction, and counts each that it does. It can die at a moment that a test chooses.
//
//   node sweeper.mjs <data directory> <url, or - for the embedded store> <inside|after|never> <number> <row that always fails>
//
// It ends itself like `kill -9` in its so many-th step: `inside` of the transaction, or `after` it was committed.
// Lines:
//   done         nothing is left
//   failed       a row was left out

const [dataDir = '', url = '-', where = 'never', number = '0', bad = ''] = process.argv.slice(2);
await using store = await openDatabase({ dataDir, url: url === '-' ? undefined : url, command: 'sweeper' });
const clock = { now: () => 0 };
const afterCommit = (action: () => void): void => action();
const ctx = { store, db: store.db, clock, random: systemRandom, log: silentLog, afterCommit } as unknown as Context;
let steps = 0;
function dieIf(moment: string): void {
  if (moment === where && steps === Number(number)) process.kill(process.pid, 'SIGKILL');
}

try {
  await sweep(ctx, {
    what: 'counting a row',
    most: 3,
    async step({ db }, { most, without, found }) {
      dieIf('after');
      steps += 1;
      const rows = await db
        .selectFrom('used_direct_login_tokens')
        .select('nonce')
        .where('expires_at', '=', 0)
        .where('nonce', 'not in', without)
        .orderBy('nonce')
        .limit(most)
        .execute();
      found(rows.map(({ nonce }) => nonce));
      for (const { nonce } of rows) {
        await db
          .updateTable('used_direct_login_tokens')
          .set((row) => ({ expires_at: row('expires_at', '+', 1) }))
          .where('nonce', '=', nonce)
          .execute();
        if (nonce === bad) throw new Error('made by a test');
      }
      dieIf('inside');
    },
  });
  process.stdout.write('done\n');
} catch {
  process.stdout.write('failed\n');
}
