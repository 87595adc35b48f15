import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { pathWithoutNode, testsOfProgram } = (await import(join(root, 'scripts/checks/program-tests.mjs'))) as {
  pathWithoutNode(path: string, folder: string): Promise<string>;
  testsOfProgram(root: string): Promise<string[]>;
};

describe('the tests that run again with the program in one file', () => {
  it('are all that start the program, at whatever distance', async () => {
    const files = await testsOfProgram(root);
    expect(files).toEqual(
      expect.arrayContaining(['test/e2e/one-member.thorough.test.ts', 'test/e2e/pool.soak.test.ts']),
    );
    expect(files).not.toContain('test/base/json-text.test.ts');
  });

  it('find no Node on their PATH, and everything else', async () => {
    await using folder = await temporaryFolder();
    const [withNode, without, links] = ['with', 'without', 'links'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [withNode, without, links]) await mkdir(path);
    for (const name of ['node', 'npm', 'git']) await writeFile(join(withNode, name), '');
    await writeFile(join(without, 'sed'), '');
    const path = await pathWithoutNode([without, withNode, join(folder.path, 'missing')].join(delimiter), links);
    expect(path).toBe([without, links, join(folder.path, 'missing')].join(delimiter));
    expect(await readdir(links)).toEqual(['git']);
  });
});
