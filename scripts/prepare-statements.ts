/**
 * Has PostgreSQL read the statements that a run of the tests had the embedded engine do, each once and without running it.
 *
 *   CONCLAVE_TEST_STATEMENTS=<an empty folder> npx vitest run
 *   npx tsx scripts/prepare-statements.ts [--whole] <that folder>
 *
 * After a whole run, a place on the list of those that PostgreSQL need not read fails when nothing of it is refused.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/platform/store/open.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { prepareStatements, readStatements } from '../test/support/prepared-statements.ts';

const { values, positionals } = parseArgs({
  options: { whole: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) throw new TypeError('name the folder in which the run left its statements');

const recorded = await readStatements(folder);
if (values.whole && recorded.length === 0) throw new Error(`the run left no statements in ${folder}`);

await using server = await startPostgres();
const home = await mkdtemp(join(tmpdir(), 'conclave-prepare-'));
try {
  await using _ = await openDatabase({ dataDir: home, url: server.url, migrate: true });
} finally {
  await rm(home, { recursive: true });
}

const { texts, passed, refused, idle } = await prepareStatements(recorded, server.url);
for (const { place, test, refusal, server: text } of refused)
  process.stdout.write(`FAIL  ${place}: ${refusal}\n      in ${test}\n      ${text.replaceAll(/\s+/g, ' ').trim()}\n`);
const unneeded = values.whole ? idle : [];
for (const place of unneeded)
  process.stdout.write(
    `FAIL  ${place}: PostgreSQL reads it, so it has no place on the list of unprepared statements\n`,
  );

const failed = new Set(refused.map(({ place }) => place)).size + unneeded.length;
process.stdout.write(`${texts} statements prepared\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
