import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mutant } from '../../scripts/mutants/mutant.ts';
import { soak } from '../support/stage.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'scripts/mutants');

describe('the mutants', () => {
  it('stand in files that are there, once, and name tests that are there', async () => {
    const mutants: Mutant[] = [];
    for (const name of await readdir(folder)) {
      const lists = (await import(join(folder, name))) as Record<string, readonly Mutant[]>;
      for (const list of Object.values(lists)) mutants.push(...list);
    }
    expect(mutants.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const { file, what, from, to, tests } of mutants) {
      const source = await readFile(join(root, file), 'utf8').catch(() => '');
      if (source.split(from).length !== 2) wrong.push(`${file}, ${what}: its text does not stand there once`);
      if (from === to) wrong.push(`${file}, ${what}: it changes nothing`);
      if (tests.length === 0) wrong.push(`${file}, ${what}: no test is to notice`);
      for (const test of tests) if (!existsSync(join(root, test))) wrong.push(`${file}, ${what}: ${test} is not there`);
      // Those run too seldom to guard anything.
      for (const test of tests.filter((name) => name.endsWith(`.${soak}.test.ts`)))
        wrong.push(`${file}, ${what}: ${test} runs in the soak stage only`);
    }
    expect(wrong).toEqual([]);
  });
});
