/**
 * Whether the tests notice when a check is gone: applies the mutants of scripts/mutants/, one after another, to a copy of the sources, runs
 * the tests that are to notice each, and prints those that nobody noticed.
 *
 *   npx tsx scripts/mutate.ts [--part 2/4] [words of file names or descriptions …]
 *
 * A part is every fourth of them, and two run at the same time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { accountMutants } from './mutants/accounts.ts';
import { attachmentMutants } from './mutants/attachments.ts';
import { calendarMutants } from './mutants/calendar.ts';
import { chatMutants } from './mutants/chat.ts';
import { commandLineMutants } from './mutants/command-line.ts';
import { cryptoMutants } from './mutants/crypto.ts';
import { davMutants } from './mutants/dav.ts';
import { eventMutants } from './mutants/events.ts';
import { fileMutants } from './mutants/files.ts';
import { gossipMutants } from './mutants/gossip.ts';
import { outboxMutants } from './mutants/outbox.ts';
import { ledgerMutants } from './mutants/ledger.ts';
import { mailMutants } from './mutants/mail.ts';
import { memberMutants } from './mutants/members.ts';
import type { Mutant } from './mutants/mutant.ts';
import { pageMutants } from './mutants/pages.ts';
import { planMutants } from './mutants/plans.ts';
import { healingMutants } from './mutants/pool-healing.ts';
import { poolMutants } from './mutants/pool.ts';
import { quorumAuditMutants } from './mutants/quorum-audit.ts';
import { notificationMutants } from './mutants/notifications.ts';
import { quorumGovernanceMutants } from './mutants/quorum-governance.ts';
import { quorumSessionMutants } from './mutants/quorum-sessions.ts';
import { searchMutants } from './mutants/search.ts';
import { storeMutants } from './mutants/store.ts';
import { vaultMutants } from './mutants/vaults.ts';
import { witnessMutants } from './mutants/witness.ts';

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

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string', default: '1/1' }, alone: { type: 'boolean', default: false } },
});
const part = /^(?<number>\d+)\/(?<of>\d+)$/.exec(options.part)?.groups;
const [number, of] = [Number(part?.['number']), Number(part?.['of'])];
if (!(number >= 1 && number <= of)) throw new Error(`--part is ${options.part}; it is like 2/4.`);
const all = [
  ...cryptoMutants,
  ...accountMutants,
  ...vaultMutants,
  ...fileMutants,
  ...poolMutants,
  ...healingMutants,
  ...mailMutants,
  ...ledgerMutants,
  ...witnessMutants,
  ...gossipMutants,
  ...outboxMutants,
  ...storeMutants,
  ...pageMutants,
  ...planMutants,
  ...searchMutants,
  ...notificationMutants,
  ...quorumSessionMutants,
  ...eventMutants,
  ...attachmentMutants,
  ...memberMutants,
  ...chatMutants,
  ...quorumAuditMutants,
  ...quorumGovernanceMutants,
  ...commandLineMutants,
  ...calendarMutants,
  ...davMutants,
];
const wanted = all
  .filter(({ file, what }) => words.length === 0 || words.some((word) => file.includes(word) || what.includes(word)))
  .filter((_, at) => at % of === number - 1);
const counts = { killed: 0, SURVIVED: 0, BROKEN: 0 };
if (options.alone || wanted.length < 4) await runMutants();
else await Promise.all([number, number + of].map(runHalf));
console.log(`${counts.killed} killed, ${counts.SURVIVED} survived, ${counts.BROKEN} broken`);
process.exitCode = counts.killed < wanted.length ? 1 : 0;

/** One of two halves, in a process of its own. */
async function runHalf(half: number): Promise<void> {
  const given = ['--alone', '--part', `${half}/${2 * of}`, ...words];
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const outcome = (['killed', 'SURVIVED', 'BROKEN'] as const).find((name) => line.startsWith(name.padEnd(8)));
    if (outcome === undefined) continue;
    counts[outcome] += 1;
    console.log(line);
  }
  await ended;
}

async function runMutants(): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'conclave-mutants-'));
  for (const name of [...copied, ...copiedFiles])
    await cp(join(root, name), join(place, name), { recursive: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'));
  // What the stage before a change is handed in notices, with as many properties as are written.
  process.env['CONCLAVE_TEST_STAGE'] = 'all';
  process.env['CONCLAVE_TEST_RUNS'] = '1';
  // Starting PostgreSQL takes a while.
  if (wanted.every(({ engine }) => engine === undefined)) process.env['CONCLAVE_TEST_ENGINES'] = 'sqljs';
  process.chdir(place);
  // One for all: what didn't change needn't be read and compiled again for each mutant.
  const vitest = await createVitest('test', { root: place, watch: false, bail: 1, maxWorkers: 1, reporters: [{}] });
  try {
    await vitest.standalone();
    for (const mutant of wanted) {
      const { outcome, by } = await outcomeOf(vitest, place, mutant);
      counts[outcome] += 1;
      console.log(`${outcome.padEnd(8)} ${mutant.file}: ${mutant.what}${by === '' ? '' : ` (${by})`}`);
    }
  } finally {
    await vitest.close();
    await rm(place, { recursive: true, force: true });
  }
}

/** @returns also which test noticed: another one than should have is no proof */
async function outcomeOf(
  vitest: Vitest,
  place: string,
  { file, from, to, tests }: Mutant,
): Promise<{ outcome: Outcome; by: string }> {
  const path = join(place, file);
  const source = await readFile(path, 'utf8').catch(() => '');
  const missing = tests.filter((name) => !existsSync(join(place, name)));
  if (missing.length > 0) return { outcome: 'BROKEN', by: `${missing.join(', ')} is not there` };
  // A mutant that fits nowhere, or in two places, says nothing.
  if (source.split(from).length !== 2) return { outcome: 'BROKEN', by: 'its text does not stand there once' };
  const put = async (text: string) => {
    await writeFile(path, text);
    vitest.invalidateFile(path);
  };
  await put(source.replace(from, () => to));
  try {
    const specifications = await vitest.globTestSpecifications([...tests]);
    const asked = new Set(specifications.map(({ moduleId }) => moduleId));
    const run = await vitest.runTestSpecifications(specifications);
    // What earlier mutants ran is among its modules too.
    const testModules = run.testModules.filter(({ moduleId }) => asked.has(moduleId));
    const failed = testModules.flatMap((module) => [...module.children.allTests('failed')]);
    const [first] = failed;
    if (first !== undefined) return { outcome: 'killed', by: `${first.module.relativeModuleId}: ${first.fullName}` };
    // What doesn't load isn't noticed by a test.
    const errors = [...testModules.flatMap((module) => module.errors()), ...run.unhandledErrors];
    if (testModules.length === 0 || errors.length > 0)
      return { outcome: 'BROKEN', by: (errors[0] as Error | undefined)?.message ?? 'no tests' };
    return { outcome: 'SURVIVED', by: '' };
  } finally {
    await put(source);
  }
}
