// Kills a writing process with SIGKILL at random moments, and looks each time whether everything that it acknowledged is there.
//
//   npx tsx scripts/durability.ts [--rounds 300] [--folder <an empty folder on the disk in question>]
//
// The moments are drawn from a seed that is printed; CONCLAVE_TEST_SEED has the same ones again.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../test/support/bundle.ts';
import { hasStockSqlite, killRound, type Expected } from '../test/support/kill-rounds.ts';
import { chooseSeed, seeded } from '../test/support/run-seed.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '300' }, folder: { type: 'string' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds is a whole number from 1');

/** A new store after so many rounds: that a fresh one is made is part of what is tried. */
const roundsPerStore = 20;
const parent = values.folder ?? tmpdir();

const seed = chooseSeed(process.env['CONCLAVE_TEST_SEED'], 'soak');
const random = seeded(seed);
process.stdout.write(`CONCLAVE_TEST_SEED=${seed}\n`);

await using program = await bundle('test/support/store-writer.ts');
const totals = { acknowledged: 0, open: 0, withLog: 0, checks: 0 };
const began = performance.now();
let folder: string | undefined;
let expected: Expected = { present: new Set(), open: new Set() };
try {
  for (let round = 0; round < rounds; round += 1) {
    if (round % roundsPerStore === 0) {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      folder = await mkdtemp(join(parent, 'conclave-durability-'));
      expected = { present: new Set(), open: new Set() };
    }
    // One in three dies while the store is made, opened or recovered.
    const whenWriting = random() < 2 / 3;
    const killAfterMs = random() * (whenWriting ? 250 : 1000);
    const report = await killRound(program.path, folder ?? parent, `r${round}`, expected, { killAfterMs, whenWriting });
    totals.acknowledged += report.acknowledged;
    totals.open += Number(report.wasOpen);
    totals.withLog += Number(report.logBytes > 0);
    totals.checks += report.checkedBy.length;
    process.stdout.write(
      `round ${round + 1}: killed after ${killAfterMs.toFixed(0)} ms${whenWriting ? ' of writing' : ''}, ` +
        `${report.acknowledged} acknowledged, ${report.groups} transactions and ${report.rows} rows found, log ${report.logBytes} bytes\n`,
    );
  }
} finally {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
process.stdout.write(
  `${rounds} rounds in ${((performance.now() - began) / 1000).toFixed(0)} s: ${totals.acknowledged} acknowledged transactions, ` +
    `none lost, none torn; ${totals.open} kills while writing, ${totals.withLog} with a log to recover; ${totals.checks} readings` +
    `${hasStockSqlite ? '' : ' (without sqlite3, which this machine lacks)'}, integrity_check ok in all\n`,
);
