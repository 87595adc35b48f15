import { mkdir, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, posix } from 'node:path';
import { loadedLater, loadedNow } from '../source-imports.mjs';
import { countTests, failedTests } from './count-tests.mjs';
import { runProgram } from './run-program.mjs';

/** The test files that start the program, which all do by test/support/program.ts. @param root of the project @returns paths from there */
export async function testsOfProgram(root) {
  const imports = new Map();
  for (const entry of await readdir(join(root, 'test'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    const folder = entry.parentPath.slice(root.length).replace(/^\//, '');
    const targets = [...loadedNow(text), ...loadedLater(text)].map((target) => posix.join(folder, target));
    imports.set(posix.join(folder, entry.name), targets);
  }
  const users = new Set(['test/support/program.ts']);
  // Each round finds those at one more step from it.
  for (let before = 0; users.size > before;) {
    before = users.size;
    for (const [path, targets] of imports) if (targets.some((target) => users.has(target))) users.add(path);
  }
  return [...users].filter((path) => path.endsWith('.test.ts')).toSorted();
}

const ofNode = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack']);

/**
 * A PATH with all the programs of another one but Node and what belongs to it.
 * @param folder an empty one, which gets links to what lies beside Node
 */
export async function pathWithoutNode(path, folder) {
  const found = new Set();
  const kept = [];
  for (const each of path.split(delimiter)) {
    const names = await readdir(each).catch(() => []);
    if (!names.some((name) => ofNode.has(name))) {
      kept.push(each);
      continue;
    }
    if (found.size === 0) kept.push(folder);
    for (const name of names) {
      if (ofNode.has(name) || found.has(name)) continue;
      found.add(name);
      await symlink(join(each, name), join(folder, name));
    }
  }
  return kept.join(delimiter);
}

/**
 * Runs every test that starts the program once more, with the program in one file, on a machine whose PATH has no Node. In a folder of its
 * own, since what is left in the temporary folders is a failure.
 * @param release the folder where the program is
 */
export async function testProgramInOneFile(root, release, environment) {
  const program = (await readdir(release)).find((name) => /^conclave-[\d.]+-linux-x64$/.test(name));
  if (program === undefined) return { passed: 0, failed: 1, seconds: 0, detail: `there is no program in ${release}` };
  const place = await mkdtemp(join(tmpdir(), 'conclave-one-file-'));
  try {
    const [home, temporary, runtime, links] = ['home', 'temporary', 'runtime', 'links'].map((name) =>
      join(place, name),
    );
    for (const folder of [home, temporary, runtime, links]) await mkdir(folder, { mode: 0o700 });
    const env = {
      CONCLAVE_TEST_ENGINES: 'sqljs',
      CONCLAVE_TEST_PROGRAM: join(release, program),
      CONCLAVE_TEST_SEED: environment.CONCLAVE_TEST_SEED,
      HOME: home,
      PATH: await pathWithoutNode(environment.PATH ?? '', links),
      TMPDIR: temporary,
      // A cache of the tests, in the temporary folder.
      TSX_DISABLE_CACHE: '1',
      XDG_RUNTIME_DIR: runtime,
    };
    const file = join(place, 'report.json');
    // Those that this leaves out are about the Node of the folder.
    const words = [
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      '--tags-filter=!needs-node-options',
    ];
    const vitest = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...words];
    const command = [...vitest, ...(await testsOfProgram(root.replace(/\/$/, '')))];
    const { code, seconds } = await runProgram(command, { cwd: root, env, stdio: 'inherit' });
    const report = JSON.parse(await readFile(file, 'utf8').catch(() => 'null')) ?? undefined;
    const counts = countTests(report, code, { whole: true });
    const shared = (await readdir('/dev/shm').catch(() => [])).filter((name) => name.startsWith('.conclave-'));
    const left = [...(await readdir(temporary)), ...shared];
    const failures = [...failedTests(report, root), ...left.map((name) => `left behind: ${name}`)];
    return {
      passed: counts.passed,
      failed: counts.failed + left.length,
      seconds,
      detail: [counts.detail, ...failures].join('\n      '),
    };
  } finally {
    await rm(place, { recursive: true });
  }
}
