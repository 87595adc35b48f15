import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { headOf } from './soak-record.mjs';
import { durationsOf, readCpuSeconds, spentOf } from './cpu-seconds.mjs';

/** As many as this may stand in the list of unsteady tests. */
const MOST = 5;

/**
 * Writes down what a run measured: the CPU seconds of its files, which later runs begin with, and tests that were unsteady.
 * @returns {Promise<{ isWithin: boolean, lines: string[] }>} whether each part kept to its budget and the list to its length
 */
export async function remember({ root, folder, stage, unsteady, now = new Date() }) {
  const measured = await readCpuSeconds(folder);
  const durations = join(root, 'test/support/durations.json');
  const known = JSON.parse(await readFile(durations, 'utf8'));
  await writeFile(
    durations,
    durationsOf(measured, known, (file) => existsSync(join(root, file))),
  );
  const budgets = JSON.parse(await readFile(join(root, 'test/support/budgets.json'), 'utf8'));
  const parts = stage === 'soak' ? [] : spentOf(measured, budgets, stage);
  const lines = parts.map(
    ({ name, seconds, budget }) =>
      `${seconds > budget ? 'ABOVE ' : ''}${name}: ${seconds.toFixed(1)} of ${budget} CPU seconds`,
  );
  const list = await addUnsteady(root, unsteady, now);
  if (list > MOST) lines.push(`${list} tests are unsteady, more than ${MOST}`);
  return { isWithin: parts.every(({ seconds, budget }) => seconds <= budget) && list <= MOST, lines };
}

/** @returns how many stand in the list now */
async function addUnsteady(root, unsteady, now) {
  const path = join(root, 'test/support/unsteady.json');
  const list = JSON.parse(await readFile(path, 'utf8'));
  const commit = unsteady.length === 0 ? '' : await headOf(root);
  for (const { file, name, line } of unsteady)
    if (!list.some((known) => known.file === file && known.name === name))
      list.push({ file, name, line, commit, date: now.toISOString().slice(0, 10) });
  if (unsteady.length > 0) await writeFile(path, `${JSON.stringify(list, undefined, 2)}\n`);
  return list.length;
}
