// Runs the checks of a stage, prints what failed and how many passed. Without an option that is the quick stage; --all is what has to hold
// before a change is handed in, --soak everything (--part 2/4 of it, --factor 3 times its counts), --changed what a change touches.
// --remember writes down what was measured, and which tests were unsteady. Other options go to vitest.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedFiles, testsOf } from './checks/changed-tests.mjs';
import { countTests, failedTests } from './checks/count-tests.mjs';
import { remember } from './checks/remember.mjs';
import { checkOptions } from './checks/options.mjs';
import { testProgramInOneFile } from './checks/program-tests.mjs';
import { runProgram } from './checks/run-program.mjs';
import { secondTry } from './checks/second-try.mjs';
import { keepPart, seedOf, unsteadyTooLong } from './checks/soak-record.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = join(root, 'node_modules/.bin');

let ours;
try {
  ours = checkOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
const { stage } = ours;
const isQuick = stage === 'quick';
/** Tags of tests, and the ends of names of files, as in test/support/stage.ts. */
const leaves = { quick: ['thorough', 'soak'], all: ['soak'], soak: [] }[stage];

/** Settings of whoever runs the tests stay out of them; but what they ask of the quick stage, they get. */
const kept = new Set(['CONCLAVE_TEST_SEED', 'CONCLAVE_TEST_RUNS', ...(isQuick ? ['CONCLAVE_TEST_ENGINES'] : [])]);
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CONCLAVE_') || kept.has(name)),
  ),
  CONCLAVE_TEST_STAGE: stage,
  ...(ours.factor !== undefined && { CONCLAVE_TEST_RUNS: ours.factor }),
};
if (stage === 'soak') environment.CONCLAVE_TEST_SEED ??= String(await seedOf(root, ours.part));
/** The types of all files take 4 GB, and collecting their garbage a third of the time that the linter needs. */
const garbage = { GOGC: 'off', GOMEMLIMIT: '5GiB' };
const run = async (command, options) => await runProgram(command, { cwd: root, env: environment, ...options });

/** Types are what the last run found where nothing changed, and rules that need types wait for the next stage. */
const looks = {
  lint: [
    join(programs, 'oxlint'),
    // A rule that needs types may be what a comment switches off.
    ...(isQuick ? [] : ['--type-aware', '--type-check', '--report-unused-disable-directives-severity=error']),
  ],
  format: [join(programs, 'oxfmt'), '--check'],
  ...(isQuick && {
    types: [
      join(programs, 'tsc'),
      '-p',
      '.',
      '--incremental',
      '--tsBuildInfoFile',
      'node_modules/.cache/conclave-types.tsbuildinfo',
    ],
  }),
  ...(!isQuick && { subjects: [process.execPath, 'scripts/commit-subjects.mjs'] }),
  'types of the share page': [join(programs, 'tsc'), '-p', 'src/http/pages/share-page'],
};

async function touchedTests() {
  if (ours.changed === undefined) return { touched: [] };
  try {
    return { touched: await testsOf(root, await changedFiles(root, ours.changed)) };
  } catch (error) {
    return { failure: error.message };
  }
}

/** @param {string} folder of what comes out of the run @param {{ isFirst: boolean }} which a second try counts for no budget */
async function vitest(folder, words, { isFirst }) {
  const file = join(folder, 'report.json');
  for (const name of [file, `${file}.errors`]) await rm(name, { force: true });
  const names = ['default', 'json', './scripts/checks/errors-outside.mjs'];
  const reporters = [...names.map((name) => `--reporter=${name}`), `--outputFile.json=${file}`];
  const env = {
    ...environment,
    ...(isFirst && { CONCLAVE_TEST_CPU: join(folder, 'cpu') }),
    CONCLAVE_TEST_RELEASES: join(folder, 'release'),
    ...(!isQuick && { CONCLAVE_TEST_STATEMENTS: join(folder, 'statements') }),
  };
  const { code, seconds } = await run([join(programs, 'vitest'), 'run', ...reporters, ...words], {
    env,
    ...(isFirst && { stdio: 'inherit' }),
  });
  const read = async (name) => JSON.parse(await readFile(name, 'utf8').catch(() => 'null')) ?? undefined;
  return { code, seconds, report: await read(file), errorsOutside: await read(`${file}.errors`) };
}

async function runTests(folder) {
  const { touched, failure } = await touchedTests();
  if (failure !== undefined) return { passed: 0, failed: 1, seconds: 0, detail: failure };
  const files = touched.filter((name) => !leaves.some((tag) => name.endsWith(`.${tag}.test.ts`)));
  if (ours.changed !== undefined && files.length === 0) {
    const left =
      touched.length === 0
        ? ''
        : `; ${touched.length} files of later stages do: add ${isQuick ? '--all or --soak' : '--soak'}`;
    const detail = `no test of this stage loads what differs from ${ours.changed}${left}`;
    return { passed: 0, failed: 0, seconds: 0, detail };
  }
  const part = ours.part === undefined ? [] : [`--shard=${ours.part.number}/${ours.part.of}`];
  const { code, seconds, report, errorsOutside } = await vitest(folder, [...files, ...part, ...ours.others], {
    isFirst: true,
  });
  const whole = !isQuick && ours.changed === undefined;
  const unsteady =
    report === undefined
      ? []
      : await secondTry({ report, root, run: async (words) => await vitest(folder, words, { isFirst: false }) });
  // A run has not ended badly if all that failed was unsteady, and nothing failed outside of the tests.
  const isSteady = errorsOutside === 0 && unsteady.length > 0 && unsteady.length === failedTests(report, root).length;
  const counts = countTests(report, isSteady ? 0 : code, { whole, unsteady, leaves });
  const failures = failedTests(report, root, unsteady);
  return { ...counts, seconds, failures, unsteady, isWhole: whole && ours.others.length === 0 };
}

/** What is done after the tests, each with its own line. @yields {[name: string, result: { passed: number, failed: number, seconds: number, detail: string }]} */
async function* laterChecks(folder, isWhole) {
  if (!isQuick) yield ['postgres', await prepareStatements(join(folder, 'statements'), isWhole)];
  if (stage !== 'soak') return;
  const release = join(folder, 'release');
  if (existsSync(join(release, 'SHA256SUMS')))
    yield ['one file', await testProgramInOneFile(root, release, environment)];
  const tooLong = await unsteadyTooLong(root);
  yield [
    'unsteady',
    { passed: tooLong.length === 0 ? 1 : 0, failed: tooLong.length, seconds: 0, detail: tooLong.join('; ') },
  ];
}

/** Has PostgreSQL read what ran on the embedded engine. */
async function prepareStatements(statements, isWhole) {
  const command = [join(programs, 'tsx'), 'scripts/prepare-statements.ts', ...(isWhole ? ['--whole'] : []), statements];
  const { code, output, seconds } = await run(command);
  const lines = output.trimEnd().split('\n');
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? '') ?? [];
  if (failed === undefined) return { passed: 0, failed: 1, seconds, detail: output };
  const detail = code === 0 ? (lines.at(-2) ?? '') : output.trimEnd();
  return { passed: Number(passed), failed: Number(failed), seconds, detail };
}

function say(ok, name, seconds, detail = '') {
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${detail}\n`);
}

const started = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'conclave-check-'));
try {
  for (const name of ['cpu', 'statements']) await mkdir(join(folder, name));
  // Tests start what is built; nothing else has to be there before them.
  const build = await run([process.execPath, 'scripts/build.mjs']);
  const names = Object.keys(looks);
  const looking = Promise.all(
    names.map((name) => run(looks[name], { env: { ...environment, ...garbage }, beside: true })),
  );
  const tests =
    build.code === 0
      ? await runTests(folder)
      : { passed: 0, failed: 0, seconds: 0, detail: 'not run: there is no build' };
  const results = [['build', build], ...(await looking).map((result, at) => [names[at], result])];

  process.stdout.write('\n');
  for (const [, { code, output }] of results) if (code !== 0) process.stdout.write(output);
  for (const [name, { code, seconds }] of results) say(code === 0, name, seconds);
  say(tests.failed === 0 && build.code === 0, 'tests', tests.seconds, tests.detail);
  for (const failure of tests.failures ?? []) process.stdout.write(`      ${failure}\n`);
  let passed = results.filter(([, { code }]) => code === 0).length + tests.passed;
  let failed = results.filter(([, { code }]) => code !== 0).length + tests.failed;
  if (ours.changed === undefined && build.code === 0) {
    for await (const [name, later] of laterChecks(folder, tests.isWhole && ours.part === undefined)) {
      say(later.failed === 0, name, later.seconds, later.detail);
      passed += later.passed;
      failed += later.failed;
    }
  }
  if (ours.remember && failed === 0) {
    const { isWithin, lines } = await remember({
      root,
      folder: join(folder, 'cpu'),
      stage,
      unsteady: tests.unsteady ?? [],
    });
    for (const line of lines) process.stdout.write(`      ${line}\n`);
    if (!isWithin) failed += 1;
  }
  process.stdout.write(`      all      ${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s\n`);
  const counts = { passed, failed };
  if (stage === 'soak' && tests.isWhole)
    for (const line of await keepPart(root, { ...counts, seed: environment.CONCLAVE_TEST_SEED, part: ours.part }))
      process.stdout.write(`      ${line}\n`);
  for (const { file, name, line } of tests.unsteady ?? [])
    process.stdout.write(`unsteady: ${file} > ${name}: ${line}\n`);
  if ((tests.unsteady ?? []).length > 0) process.stdout.write(`${tests.unsteady.length} unsteady\n`);
  const line = `${passed} passed, ${failed} failed`;
  // .ci/run prints the line itself, last.
  if (process.env.CONCLAVE_CHECK_COUNTS) await writeFile(process.env.CONCLAVE_CHECK_COUNTS, line);
  else process.stdout.write(`${line}\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}
