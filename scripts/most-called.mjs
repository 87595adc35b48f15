import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runMost } from './compile-ahead.mjs';

/**
 * Which functions are called by what people run most. They are the same each time; what V8 keeps of a run itself is not.
 *
 * @param {string} folder where `makeProgram` has made the program
 * @returns {Promise<Record<string, number[]>>} by the names of the scripts that were loaded: a place inside each function, in characters
 *   from the start of the script
 */
export async function mostCalled(folder) {
  const reports = await mkdtemp(join(tmpdir(), 'conclave-called-'));
  try {
    await runMost(folder, { env: { NODE_V8_COVERAGE: reports } });
    const base = pathToFileURL(join(folder, sep)).href;
    const found = {};
    for (const report of await readdir(reports))
      for (const { url, functions } of JSON.parse(await readFile(join(reports, report), 'utf8')).result) {
        if (!url.startsWith(`${base}dist/`)) continue;
        const places = (found[decodeURI(url.slice(base.length))] ??= new Set());
        // The last character of a function is in none of those inside it.
        for (const {
          ranges: [whole],
        } of functions)
          if (whole.count > 0) places.add(whole.endOffset - 1);
      }
    const inOrder = Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(inOrder.map(([name, places]) => [name, [...places].sort((one, other) => one - other)]));
  } finally {
    await rm(reports, { recursive: true });
    // What Node kept of these runs, see bin/load.js.
    await rm(join(folder, 'dist/compiled'), { recursive: true, force: true });
  }
}
