import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import budgets from './budgets.json' with { type: 'json' };
import unsteady from './unsteady.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the lists of tests', () => {
  it('have at most five unsteady ones, each with what it said, and each still there', async () => {
    const list: readonly Readonly<Record<string, string>>[] = unsteady;
    expect(list.length).toBeLessThanOrEqual(5);
    for (const { file = '', name = '', line, commit, date } of list) {
      expect([line, commit, date]).toEqual([
        expect.any(String),
        expect.any(String),
        expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      ]);
      const text = await readFile(join(root, file), 'utf8');
      // The last part of its full name stands in the file, unless it is made of a table.
      expect(text.includes(name.split(' ').at(-1) ?? '')).toBe(true);
    }
  });

  it('give each service a budget, of the folder that its tests are in', () => {
    for (const [name, { paths, quick, all }] of Object.entries(budgets)) {
      expect(quick).toBeLessThanOrEqual(all);
      if (existsSync(join(root, 'src/services', name)))
        expect([name, paths.filter((path) => existsSync(join(root, path)))]).toEqual([
          name,
          expect.arrayContaining([`test/services/${name}/`]),
        ]);
    }
  });
});
