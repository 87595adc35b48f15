import { execa } from 'execa';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const project = {
  'package.json': '{}',
  'bin/run.js': `await import('../dist/main.js');`,
  'commands/status.ts': `import { clock } from '../src/clock.ts';`,
  'scripts/start': '#!/bin/sh',
  'src/clock.ts': `export type { Other } from './other.ts';\nconst late = () => import('./late.ts');`,
  'src/late.ts': 'export const late = 1;',
  'src/other.ts': 'export interface Other {}',
  'test/house.ts': `import { clock } from '../src/clock.ts';`,
  'test/clock.test.ts': `import { house } from './house.ts';`,
  'test/other.test.ts': `import { other } from '../src/other.ts';`,
  'test/program.test.ts': `const program = new URL('../bin/run.js', import.meta.url);`,
  'test/start.thorough.test.ts': `const script = join(root, 'scripts/start');`,
  'test/guides.test.ts': 'const names = await readdir(`${root}/docs`);',
  'docs/guide.md': '# Guide',
};

async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const load = async () =>
  (await import(join(root, 'scripts/changed-tests.mjs'))) as {
    changedFiles(folder: string, commit: string): Promise<string[]>;
    testsOf(folder: string, changed: readonly string[]): Promise<string[]>;
  };

describe('the tests of a change', () => {
  it.each([
    ['what is imported, at whatever distance', 'src/clock.ts', ['clock', 'program']],
    ['what is imported later', 'src/late.ts', ['clock', 'program']],
    ['what is more than a type', 'src/other.ts', ['other']],
    ['a command, which programs load', 'commands/status.ts', ['program']],
    ['a script that is started', 'scripts/start', ['start.thorough']],
    ['a file of a folder that is read', 'docs/guide.md', ['guides']],
    ['a test', 'test/other.test.ts', ['other']],
    ['nothing that a test looks at', 'LICENSE', []],
    ['what all of them need', 'package.json', ['clock', 'guides', 'other', 'program', 'start.thorough']],
  ])('are those of %s', async (_, changed, names) => {
    await using folder = await temporaryFolder();
    await fill(folder.path, project);
    const found = await (await load()).testsOf(folder.path, [changed]);
    expect(found.toSorted()).toEqual(names.map((name) => `test/${name}.test.ts`));
  });

  it('are found by what differs from a commit, and by what is new', async () => {
    await using folder = await temporaryFolder();
    await fill(folder.path, project);
    const git = async (...options: string[]) => await execa('git', options, { cwd: folder.path });
    await git('init', '--quiet');
    await git('add', '.');
    await git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--quiet', '-m', 'all');
    const { changedFiles } = await load();
    expect(await changedFiles(folder.path, 'HEAD')).toEqual([]);
    await fill(folder.path, { 'src/clock.ts': 'export {};', 'test/new.test.ts': '' });
    expect(await changedFiles(folder.path, 'HEAD')).toEqual(['src/clock.ts', 'test/new.test.ts']);
  });
});
