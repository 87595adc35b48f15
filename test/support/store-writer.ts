import { sql } from 'kysely';
import { Problem } from '../../src/base/problem.ts';
import { openDatabase } from '../../src/platform/store/open.ts';

// A process that writes into a store until it is killed, and says what was acknowledged.
//
//   node store-writer.mjs <data directory> <name> <writers> [bytes]
//
// A transaction adds a number of jobs of one kind, `<name>-<n>/<number>`, and deletes the ones of some earlier transaction. Lines:
//   ready                   the store is open
//   + <kind>                a transaction was acknowledged
//   - <kind>                the jobs of this kind are going to be deleted: whether they are found afterwards says nothing
//   ! <code>                a transaction failed with this Problem

const [dataDir = '', name = '', writers = '8', bytes = '0'] = process.argv.slice(2);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await using database = await openDatabase({ dataDir, migrate: true, command: `store-writer ${name}` });
say('ready');

let next = 0;

async function write(earlier: string | undefined): Promise<string> {
  const number = 1 + (next % 5);
  const kind = `${name}-${next++}/${number}`;
  if (earlier !== undefined) say(`- ${earlier}`);
  await database.transaction(async (db) => {
    for (let part = 0; part < number; part += 1) {
      // Large ones now and then: they fill the log, so that it is moved into the database while others write.
      const payload = 'x'.repeat(Number(bytes) > 0 ? Number(bytes) : next % 20 === 0 ? 60_000 : 50);
      await db
        .insertInto('jobs')
        .values({
          id: `${kind}-${part}`,
          kind,
          payload,
          run_at: next,
          attempts: part,
          deaths: 0,
          claimed_until: null,
          last_error: null,
          created_at: 0,
        })
        .execute();
    }
    if (earlier !== undefined) await sql`delete from jobs where kind = ${earlier}`.execute(db);
  });
  say(`+ ${kind}`);
  return kind;
}

await Promise.all(
  Array.from({ length: Number(writers) }, async () => {
    let last: string | undefined;
    for (let turn = 1; ; turn += 1) {
      try {
        const kind = await write(turn % 3 === 0 ? last : undefined);
        last = kind;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        say(`! ${error.code}`);
        return;
      }
    }
  }),
);
