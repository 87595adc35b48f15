import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { Problem } from '../../src/base/problem.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { jobRow } from './jobs.ts';

// A process that fills a store until it is full, and shows that it goes on.
//
//   node store-filler.mjs <data directory>
//
// Lines: `full <rows>`: a write met STORE_FULL after so many acknowledged ones; `reads <rows>`: what it reads then. It waits for a line
// on standard input, which comes when there is room, and says `works <rows>`.

const [dataDir = ''] = process.argv.slice(2);
await using database = await openDatabase({ dataDir, migrate: true, command: 'store-filler' });

async function add(id: string): Promise<void> {
  await database.transaction(async (db) => {
    await db
      .insertInto('jobs')
      .values(jobRow(id, { payload: 'x'.repeat(20_000) }))
      .execute();
  });
}

async function count(): Promise<number> {
  return (await database.db.selectFrom('jobs').select('id').execute()).length;
}

let written = 0;
try {
  for (; written < 10_000; written += 1) await add(`row ${written}`);
} catch (error) {
  if (!(error instanceof Problem) || error.code !== 'STORE_FULL' || error.kind !== 'unavailable') throw error;
}
process.stdout.write(`full ${written}\nreads ${await count()}\n`);
const input = createInterface({ input: process.stdin });
await once(input, 'line');
input.close();
await add('later');
process.stdout.write(`works ${await count()}\n`);
