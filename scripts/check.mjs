// Runs every check, prints what failed and how many passed. --all runs the second stage of the tests too, --changed what a change
// touches, --remember writes down which files take longest. Other options go to vitest.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedFiles, testsOf } from './changed-tests.mjs';
import { countTests, failedTests } from './count-tests.mjs';
import { durationsOf } from './test-durations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = join(root, 'node_modules/.bin');

const checks = {
  lint: [join(programs, 'oxlint')],
  format: [join(programs, 'oxfmt'), '--check'],
  types: [join(programs, 'tsc'), '-p', '.'],
  'types of the share page': [join(programs, 'tsc'), '-p', 'src/share-page'],
  build: [process.execPath, 'scripts/build.mjs'],
};

/** @type {{ all: boolean, changed: string | undefined, remember: boolean }} */
const ours = { all: false, changed: undefined, remember: false };
const options = process.argv.slice(2).filter((option) => {
  if (option === '--all') ours.all = true;
  else if (option === '--remember') ours.remember = true;
  else if (/^--changed(?:=|$)/.test(option)) ours.changed = option.slice('--changed='.length) || 'HEAD';
  else return true;
  return false;
});

/** Settings of whoever runs the tests stay out of them. The second stage leaves nothing out, so it takes both engines. */
const kept = new Set(['CONCLAVE_TEST_SEED', 'CONCLAVE_TEST_RUNS', ...(ours.all ? [] : ['CONCLAVE_TEST_ENGINES'])]);
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CONCLAVE_') || kept.has(name)),
  ),
  CONCLAVE_TEST_STAGE: ours.all ? 'all' : 'quick',
};

function run(command, stdio) {
  const [program, ...rest] = command;
  const started = performance.now();
  const child = spawn(program, rest, { cwd: root, env: environment, stdio });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: `${error.message}\n`, seconds: 0 }));
    child.on('close', (code) => resolve({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 }));
  });
}

async function touchedTests() {
  if (ours.changed === undefined) return { touched: [] };
  try {
    return { touched: await testsOf(root, await changedFiles(root, ours.changed)) };
  } catch (error) {
    return { failure: error.message };
  }
}

async function runTests() {
  const { touched, failure } = await touchedTests();
  if (failure !== undefined) return { passed: 0, failed: 1, seconds: 0, detail: failure };
  const files = ours.all ? touched : touched.filter((name) => !name.endsWith('.thorough.test.ts'));
  if (ours.changed !== undefined && files.length === 0) {
    const left = touched.length === 0 ? '' : `; ${touched.length} files of the second stage do: add --all`;
    return {
      passed: 0,
      failed: 0,
      seconds: 0,
      detail: `no test of this stage loads what differs from ${ours.changed}${left}`,
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'conclave-check-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const command = [join(programs, 'vitest'), 'run', ...reporters, ...files, ...options];
    const { code, seconds } = await run(command, 'inherit');
    const text = await readFile(report, 'utf8').catch(() => undefined);
    const found = text === undefined ? undefined : JSON.parse(text);
    if (ours.remember && found !== undefined && code === 0) {
      await writeFile(join(root, 'test/support/durations.json'), durationsOf(found, root));
    }
    const counts = countTests(found, code, { whole: ours.all && ours.changed === undefined });
    return { ...counts, seconds, failures: failedTests(found, root) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function say(ok, name, seconds, detail = '') {
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${detail}\n`);
}

const names = Object.keys(checks);
const results = await Promise.all(names.map((name) => run(checks[name], ['ignore', 'pipe', 'pipe'])));
for (const { code, output } of results) if (code !== 0) process.stdout.write(output);
const tests = await runTests();

process.stdout.write('\n');
for (const [at, { code, seconds }] of results.entries()) say(code === 0, names[at], seconds);
say(tests.failed === 0, 'tests', tests.seconds, tests.detail);
for (const failure of tests.failures ?? []) process.stdout.write(`      ${failure}\n`);
const passed = results.filter(({ code }) => code === 0).length;
const total = Math.max(...results.map(({ seconds }) => seconds)) + tests.seconds;
process.stdout.write(`      all      ${total.toFixed(1).padStart(6)} s\n`);
const line = `${passed + tests.passed} passed, ${results.length - passed + tests.failed} failed`;
// .ci/run prints the line itself, last.
if (process.env.CONCLAVE_CHECK_COUNTS) await writeFile(process.env.CONCLAVE_CHECK_COUNTS, line);
else process.stdout.write(`${line}\n`);
process.exitCode = passed === results.length && tests.failed === 0 ? 0 : 1;
