import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Below this, nothing is remembered of a file: what is left over is spread well anyway. */
const LEAST = 0.5;

/**
 * What test/support/measure-cpu.ts wrote down in a folder: the CPU seconds of each test file, those of its child processes included.
 * @returns {Promise<Map<string, number>>} by paths from the root
 */
export async function readCpuSeconds(folder) {
  const seconds = new Map();
  for (const name of await readdir(folder)) {
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      if (line === '') continue;
      const measured = JSON.parse(line);
      seconds.set(measured.file, (seconds.get(measured.file) ?? 0) + measured.seconds);
    }
  }
  return seconds;
}

/** What test/support/durations.json has in it: what was measured, and of files that didn't run what was known. */
export function durationsOf(measured, known, isThere) {
  const all = new Map([...Object.entries(known), ...measured].filter(([file]) => isThere(file)));
  const lines = [...all]
    .filter(([, seconds]) => seconds >= LEAST)
    .toSorted(([one, ours], [other, theirs]) => theirs - ours || one.localeCompare(other))
    .map(([file, seconds]) => `  ${JSON.stringify(file)}: ${Math.round(seconds * 10) / 10}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/**
 * The parts of the tests that took more CPU seconds than test/support/budgets.json gives them.
 * @param {Record<string, { paths: string[], quick: number, all: number }>} budgets a path is the beginning of a file's
 * @param {'quick' | 'all'} stage
 * @returns {{ name: string, seconds: number, budget: number }[]} all parts
 */
export function spentOf(measured, budgets, stage) {
  return Object.entries(budgets).map(([name, { paths, [stage]: budget }]) => {
    let seconds = 0;
    for (const [file, taken] of measured) if (paths.some((path) => file.startsWith(path))) seconds += taken;
    return { name, seconds, budget };
  });
}
