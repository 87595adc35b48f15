/**
 * Whether the tests notice when a check is gone: applies the mutants of scripts/mutants/, one after another, to a copy of the sources, runs
 * the tests that are to notice each, and prints those that nobody noticed.
 *
 *   npx tsx scripts/mutate.ts [words of file names or descriptions …]
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { accountMutants } from './mutants/accounts.ts';
import { commandLineMutants } from './mutants/command-line.ts';
import { cryptoMutants } from './mutants/crypto.ts';
import { gossipMutants } from './mutants/gossip.ts';
import { ledgerMutants } from './mutants/ledger.ts';
import type { Mutant } from './mutants/mutant.ts';
import { poolMutants } from './mutants/pool.ts';
import { storeMutants } from './mutants/store.ts';
import { vaultMutants } from './mutants/vaults.ts';

type Outcome = 'killed' | 'SURVIVED' | 'BROKEN';

const root = join(import.meta.dirname, '..');
const copied = ['bin', 'commands', 'dist', 'docs', 'scripts', 'src', 'test'];
const copiedFiles = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
/** What takes longer hangs, and somebody noticed. */
const HUNG_MS = 600_000;

const words = process.argv.slice(2);
const all = [
  ...cryptoMutants,
  ...accountMutants,
  ...vaultMutants,
  ...poolMutants,
  ...ledgerMutants,
  ...gossipMutants,
  ...storeMutants,
  ...commandLineMutants,
];
const wanted = all.filter(
  ({ file, what }) => words.length === 0 || words.some((word) => file.includes(word) || what.includes(word)),
);

const place = await mkdtemp(join(tmpdir(), 'conclave-mutants-'));
try {
  for (const name of [...copied, ...copiedFiles])
    await cp(join(root, name), join(place, name), { recursive: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'));
  const counts = { killed: 0, SURVIVED: 0, BROKEN: 0 };
  for (const mutant of wanted) {
    const { outcome, by } = await outcomeOf(mutant);
    counts[outcome] += 1;
    console.log(`${outcome.padEnd(8)} ${mutant.file}: ${mutant.what}${by === '' ? '' : ` (${by})`}`);
  }
  console.log(`${counts.killed} killed, ${counts.SURVIVED} survived, ${counts.BROKEN} broken`);
  process.exitCode = counts.SURVIVED + counts.BROKEN > 0 ? 1 : 0;
} finally {
  await rm(place, { recursive: true, force: true });
}

/** @returns also which test noticed: another one than should have is no proof */
async function outcomeOf({ file, from, to, tests }: Mutant): Promise<{ outcome: Outcome; by: string }> {
  const path = join(place, file);
  const source = await readFile(path, 'utf8').catch(() => '');
  // A mutant that fits nowhere, or in two places, says nothing.
  if (source.split(from).length !== 2) return { outcome: 'BROKEN', by: 'its text does not stand there once' };
  await writeFile(
    path,
    source.replace(from, () => to),
  );
  try {
    const run = await execa(process.execPath, [vitest, 'run', '--bail', '1', '--maxWorkers', '1', ...tests], {
      cwd: place,
      env: { CONCLAVE_TEST_ENGINES: 'sqljs', NODE_EXTRA_CA_CERTS: '', NO_COLOR: '1' },
      reject: false,
      timeout: HUNG_MS,
      all: true,
    });
    if (run.timedOut) return { outcome: 'killed', by: 'hangs' };
    const by = /^ FAIL {2}(.*)$/m.exec(run.all)?.[1] ?? '';
    if (run.exitCode === 0) return { outcome: 'SURVIVED', by: '' };
    // What doesn't load isn't noticed by a test.
    return { outcome: /Tests .*failed/.test(run.all) ? 'killed' : 'BROKEN', by };
  } finally {
    await writeFile(path, source);
  }
}
