import { execa } from 'execa';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const project = {
  'package.json': '{}',
  '.ci/run': '#!/bin/sh',
  'bin/run.js': `await import('../dist/main.js');`,
  'commands/status.ts': `import { clock } from '../src/clock.ts';`,
  'scripts/start': '#!/bin/sh',
  'src/clock.ts': `export type { Other } from './other.ts';\nconst late = () => import('./late.ts');`,
  'src/late.ts': 'export const late = 1;',
  'src/threads.ts': `new Worker(new URL('./worker.ts', import.meta.url));`,
  'src/worker.ts': 'export {};',
  'src/other.ts': 'export interface Other {}',
  'test/house.ts': `import { clock } from '../src/clock.ts';`,
  'test/ci.test.ts': `const script = new URL('../.ci/run', import.meta.url);`,
  'test/clock.test.ts': `import { house } from './house.ts';`,
  'test/threads.test.ts': `import { threads } from '../src/threads.ts';`,
  'test/other.test.ts': `import { other } from '../src/other.ts';`,
  'test/program.test.ts': `const program = new URL('../bin/run.js', import.meta.url);`,
  'test/start.thorough.test.ts': `const script = join(root, 'scripts/start');`,
  'test/guides.test.ts': 'const names = await readdir(`${root}/docs`);',
  'test/asking.test.ts': `import { gone } from '../src/gone.ts';`,
  'docs/guide.md': '# Guide',
};

const everyTest = ['asking', 'ci', 'clock', 'guides', 'other', 'program', 'start.thorough', 'threads'];

async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const load = async () =>
  (await import(join(root, 'scripts/checks/changed-tests.mjs'))) as {
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
    ['a script in a hidden folder', '.ci/run', ['ci']],
    ['a thread that a source starts', 'src/worker.ts', ['threads']],
    ['what the tests of a service share', 'test/house.ts', ['clock']],
    ['a source that is gone, and which is still asked for', 'src/gone.ts', ['asking']],
    ['a test that is gone', 'test/gone.test.ts', []],
    ['a file of a folder that is read', 'docs/guide.md', ['guides']],
    ['a test', 'test/other.test.ts', ['other']],
    ['nothing that a test looks at', 'LICENSE', []],
    ['what all of them need', 'package.json', everyTest],
    ['what all of them are run with', 'test/support/postgres.ts', everyTest],
  ])('are those of %s', async (_, changed, names) => {
    await using folder = await temporaryFolder();
    await fill(folder.path, project);
    const found = await (await load()).testsOf(folder.path, [changed]);
    expect(found.toSorted()).toEqual(names.map((name) => `test/${name}.test.ts`));
  });

  it('are found by what differs from a commit, is gone, or is new', async () => {
    await using folder = await temporaryFolder();
    await fill(folder.path, project);
    const git = async (...options: string[]) => await execa('git', options, { cwd: folder.path });
    await git('init', '--quiet');
    await git('add', '.');
    await git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--quiet', '-m', 'all');
    const { changedFiles } = await load();
    expect(await changedFiles(folder.path, 'HEAD')).toEqual([]);
    await fill(folder.path, { 'src/clock.ts': 'export {};', 'test/new.test.ts': '' });
    await rm(join(folder.path, 'src/late.ts'));
    expect(await changedFiles(folder.path, 'HEAD')).toEqual(['src/clock.ts', 'src/late.ts', 'test/new.test.ts']);
    await expect(changedFiles(folder.path, 'nowhere')).rejects.toThrow(
      'git cannot say what differs from nowhere: fatal',
    );
  });

  it('cannot be told where there is no repository', async () => {
    await using folder = await temporaryFolder();
    await fill(folder.path, { 'src/clock.ts': '' });
    const { changedFiles } = await load();
    await expect(changedFiles(folder.path, 'HEAD')).rejects.toThrow('git cannot say what differs from HEAD: ');
  });
});
