import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changedFiles, testsOf } from './changed-tests.mjs';
import { failuresOf } from './count-tests.mjs';
import { git } from './git.mjs';

/** More failures than these are no chance. */
const MOST_UNSTEADY = 2;

/** What fails here by chance is a hole, or has a seed and fails again. */
const neverTwice = /(?:^|\/)[\w-]*(?:attack|canar|crypto|kill|power-loss|stranger|hostile)/;
const drawsOrders = /\bfc\.|\btestRandom\(|\bseeded\(|\brounds\(/;

/** Whether a failed test of this file may run once more. @param {string} text of the file */
export function mayRunAgain(file, text, touched) {
  return !touched.has(file) && !neverTwice.test(file) && !drawsOrders.test(text);
}

/**
 * The test files that a change touches, or undefined without a history to compare with.
 * @param {string} root
 */
export async function touchedByChange(root) {
  const commit = async (name) =>
    await git(root, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => undefined);
  const head = await commit('HEAD');
  const main = await commit('origin/main');
  // Where main is what is checked out, the change is its last commit.
  const base = main === undefined || main === head ? await commit('HEAD~1') : main;
  if (base === undefined) return undefined;
  return new Set(await testsOf(root, await changedFiles(root, base)));
}

/**
 * Runs failed tests once more, each alone, if they may: no property, attack, kill or crypto test, and none that the change touches.
 * @param {{ report: object, root: string, run: (words: string[]) => Promise<{ report: object | undefined, code: number }> }} given
 * @returns {Promise<{ file: string, name: string, line: string }[]>} those that passed then
 */
export async function secondTry({ report, root, run }) {
  const failures = failuresOf(report, root);
  if (failures.length === 0 || failures.length > MOST_UNSTEADY) return [];
  if (failures.some(({ name }) => name === undefined)) return [];
  const touched = await touchedByChange(root).catch(() => undefined);
  if (touched === undefined) return [];
  const unsteady = [];
  for (const { file, name, line } of failures) {
    if (!mayRunAgain(file, await readFile(join(root, file), 'utf8'), touched)) continue;
    const pattern = `^${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
    const again = await run([file, '--testNamePattern', pattern]);
    const passed = again.report?.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .some((test) => test.fullName === name && test.status === 'passed');
    if (again.code === 0 && passed) unsteady.push({ file, name, line });
  }
  return unsteady;
}
