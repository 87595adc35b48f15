import { randomInt } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git.mjs';

/** A test may stand that long in the list of unsteady ones. */
const MOST_DAYS = 14;

/** @returns the commit that is checked out, or '' outside of a repository */
export async function headOf(root) {
  return await git(root, 'rev-parse', 'HEAD').catch(() => '');
}

async function isChanged(root) {
  return (await git(root, 'status', '--porcelain', '--untracked-files=no').catch(() => 'no repository')) !== '';
}

/** Where the parts of one run are kept until all of them are there. */
async function placeOf(root, part) {
  const commit = (await headOf(root)) || 'no-commit';
  return join(root, 'node_modules/.cache/conclave-soak', `${commit}-of-${part.of}`);
}

/** A new seed, and for the parts of one run the one of the first that ran. @returns {Promise<number>} */
export async function seedOf(root, part) {
  const drawn = randomInt(2 ** 31);
  if (part === undefined) return drawn;
  const place = await placeOf(root, part);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'seed'), String(drawn), { flag: 'wx' }).catch(() => undefined);
  return Number(await readFile(join(place, 'seed'), 'utf8'));
}

/**
 * Keeps the counts of a soak run in test/soak.json; those of a part first where the other parts find them, until there is one of each.
 * @param {{ passed: number, failed: number, seed: string, part: { number: number, of: number } | undefined, now?: Date }} result
 * @returns {Promise<string[]>} lines for whoever ran it
 */
export async function keepPart(root, { passed, failed, seed, part, now = new Date() }) {
  let whole = { passed, failed };
  if (part !== undefined) {
    const place = await placeOf(root, part);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, `${part.number}.json`), JSON.stringify(whole));
    const there = (await readdir(place)).filter((name) => name.endsWith('.json'));
    if (there.length < part.of) return [`part ${part.number} of ${part.of}: ${there.length} of them have run`];
    whole = { passed: 0, failed: 0 };
    const red = [];
    for (const name of there) {
      const counts = JSON.parse(await readFile(join(place, name), 'utf8'));
      whole.passed += counts.passed;
      whole.failed += counts.failed;
      if (counts.failed > 0) red.push(name.slice(0, -'.json'.length));
    }
    // A red part is run again by itself: what the green ones took hours for stays.
    if (red.length > 0)
      return [
        `all ${part.of} parts have run, with failures in ${red.join(' and ')}: run ${red.length > 1 ? 'those' : 'that'} again`,
      ];
    await rm(place, { recursive: true });
  }
  const line = `all of the soak stage, seed ${seed}: ${whole.passed} passed, ${whole.failed} failed`;
  if (await isChanged(root)) return [line, 'test/soak.json was not written: files differ from the commit'];
  const record = { commit: await headOf(root), date: now.toISOString().slice(0, 10), seed: Number(seed), ...whole };
  await writeFile(join(root, 'test/soak.json'), `${JSON.stringify(record, undefined, 2)}\n`);
  return [line];
}

/** @returns {Promise<string[]>} the tests that stand too long in test/support/unsteady.json */
export async function unsteadyTooLong(root, now = new Date()) {
  const list = JSON.parse(await readFile(join(root, 'test/support/unsteady.json'), 'utf8'));
  const since = now.getTime() - MOST_DAYS * 86_400_000;
  return list
    .filter(({ date }) => Date.parse(date) < since)
    .map(({ file, name, date }) => `${file} > ${name} is unsteady since ${date}: mend it, or remove it`);
}
