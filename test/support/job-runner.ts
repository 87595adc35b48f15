import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/platform/store/database.ts';
import { inTransaction, runJobs } from '../../src/platform/store/jobs/jobs.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { silentLog, type Log } from '../../src/base/log.ts';
import { systemRandom } from '../../src/crypto/bytes.ts';

// A process that runs jobs whose effect can be seen twice, until none of kind `once` is left. It can die at a moment that a test chooses.
//
//   node job-runner.mjs <data directory> <url, or - for the embedded store> <ms that its clock is ahead> <inside|after|never> <number>
//
// It ends itself like `kill -9` with its so many-th job: `inside` of the transaction when the effect is written, or `after` its commit.
// Lines:
//   did one      the transaction of a job was committed
//   ! <message>  a job failed

const [dataDir = '', url = '-', ahead = '0', where = 'never', number = '0'] = process.argv.slice(2);
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const clock = { now: () => Date.now() + Number(ahead) };
const complain = (message: string, fields?: unknown): void => void say(`! ${message} ${JSON.stringify(fields)}`);
const log: Log = { ...silentLog, warn: complain, error: complain };

await using database = await openDatabase({ dataDir, url: url === '-' ? undefined : url, command: 'job-runner' });
let count = 0;
function dieIf(moment: string): void {
  if (moment === where && count >= Number(number)) process.kill(process.pid, 'SIGKILL');
}

/** The effect: a row that can be there once. */
const once = inTransaction<{ db: Db }>(
  async (body) => {
    await database.transaction(async (db) => await body({ db }));
    say('did one');
    dieIf('after');
  },
  async ({ db }, _payload, { id }) => {
    count += 1;
    await db.insertInto('used_direct_login_tokens').values({ nonce: id, expires_at: 0 }).execute();
    dieIf('inside');
  },
);
/** One for each time at which it comes. */
const again = inTransaction<{ db: Db }>(
  (body) => database.transaction((db) => body({ db })),
  async ({ db }, _payload, { id }) => {
    const { run_at: next } = await db
      .selectFrom('jobs')
      .select('run_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('used_direct_login_tokens')
      .values({ nonce: `before ${next}`, expires_at: 1 })
      .execute();
  },
);

const abort = new AbortController();
const running = runJobs(database, { once, again }, { clock, random: systemRandom, signal: abort.signal, log });
while ((await database.db.selectFrom('jobs').select('id').where('kind', '=', 'once').executeTakeFirst()) !== undefined)
  await sleep(20);
abort.abort();
await running;
