import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../support/longest-first.ts';
import { temporaryFolder } from '../support/stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = async <T>(name: string): Promise<T> => (await import(join(root, 'scripts', name))) as T;

type Files = Readonly<Record<string, string | object>>;

async function fill(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** A repository with one commit of these files. */
async function repository(files: Files) {
  const folder = await temporaryFolder();
  const git = async (...words: string[]) =>
    (await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: folder.path })).stdout;
  await git('init', '-q', '-b', 'main');
  const commit = async (changed: Files): Promise<string> => {
    await fill(folder.path, changed);
    await git('add', '-A');
    await git('commit', '-q', '-m', 'a');
    return await git('rev-parse', 'HEAD');
  };
  return { ...folder, git, commit, first: await commit({ '.gitignore': 'node_modules', ...files }) };
}

describe('the options of scripts/test', async () => {
  const { checkOptions } = await script<{ checkOptions(words: string[]): Record<string, unknown> }>(
    'checks/options.mjs',
  );

  it('choose a stage, and leave the rest to vitest', () => {
    expect(checkOptions([])).toMatchObject({ stage: 'quick', others: [] });
    expect(checkOptions(['--all', 'test/a', '--bail=1'])).toMatchObject({
      stage: 'all',
      others: ['test/a', '--bail=1'],
    });
    expect(checkOptions(['--soak', '--part', '2/4', '--factor=0.5'])).toMatchObject({
      stage: 'soak',
      part: { number: 2, of: 4 },
      factor: '0.5',
    });
    expect(checkOptions(['--soak', '--all'])).toMatchObject({ stage: 'soak' });
    expect([checkOptions(['--changed']), checkOptions(['--changed=main'])]).toMatchObject([
      { changed: 'HEAD' },
      { changed: 'main' },
    ]);
  });

  it.each([
    [['--soak', '--part=5/4'], '--part is 5/4; it is like 2/4.'],
    [['--soak', '--part', '0/4'], '--part is 0/4'],
    [['--soak', '--part'], '--part needs a value.'],
    [['--all', '--part=1/2'], '--part goes with --soak only.'],
    [['--soak', '--factor=0'], '--factor is 0; it is a number above 0'],
    [['--soak', '--factor', 'x'], '--factor is x'],
  ])('say what is wrong with %j', (words, message) => {
    expect(() => checkOptions(words)).toThrow(message);
  });
});

describe('CPU seconds of test files', async () => {
  const { durationsOf, readCpuSeconds, spentOf } = await script<{
    readCpuSeconds(folder: string): Promise<Map<string, number>>;
    durationsOf(measured: Map<string, number>, known: object, isThere: (file: string) => boolean): string;
    spentOf(measured: Map<string, number>, budgets: object, stage: string): object[];
  }>('checks/cpu-seconds.mjs');

  it('are added up over the processes that ran them', async () => {
    await using folder = await temporaryFolder();
    await fill(folder.path, {
      '1.jsonl': '{"file":"a","seconds":1.5}\n{"file":"b","seconds":1}\n',
      '2.jsonl': '{"file":"a","seconds":2}\n',
    });
    expect([...(await readCpuSeconds(folder.path))]).toEqual([
      ['a', 3.5],
      ['b', 1],
    ]);
  });

  it('are remembered longest first, beside those of files that did not run, and without files that are gone', () => {
    const measured = new Map([
      ['a', 1.25],
      ['b', 0.1],
    ]);
    const text = durationsOf(measured, { a: 9, c: 7, gone: 8 }, (file) => file !== 'gone');
    expect(text).toBe('{\n  "c": 7,\n  "a": 1.3\n}\n');
  });

  it('are held against the budget of each part', () => {
    const measured = new Map([
      ['test/services/mail/a.test.ts', 20],
      ['test/cli/mail/b.test.ts', 6],
      ['test/platform/store/c.test.ts', 100],
    ]);
    const budgets = { mail: { paths: ['test/services/mail/', 'test/cli/mail'], quick: 25, all: 60 } };
    expect(spentOf(measured, budgets, 'quick')).toEqual([{ name: 'mail', seconds: 26, budget: 25 }]);
    expect(spentOf(measured, budgets, 'all')).toEqual([{ name: 'mail', seconds: 26, budget: 60 }]);
  });

  it('are what remembering writes down; above a budget, or with too many unsteady tests, it fails', async () => {
    const { remember } = await script<{
      remember(given: object): Promise<{ isWithin: boolean; lines: string[] }>;
    }>('checks/remember.mjs');
    const budgets = { mail: { paths: ['test/mail'], quick: 25, all: 60 } };
    await using project = await repository({
      'test/support/durations.json': { 'test/gone.test.ts': 4 },
      'test/support/budgets.json': budgets,
      'test/support/unsteady.json': [],
      'test/mail.test.ts': '',
    });
    await using folder = await temporaryFolder();
    await fill(folder.path, { '1.jsonl': '{"file":"test/mail.test.ts","seconds":26}\n' });
    const given = { root: project.path, folder: folder.path, unsteady: [], now: new Date('2026-11-28T10:00:00Z') };
    expect(await remember({ ...given, stage: 'all' })).toEqual({
      isWithin: true,
      lines: ['mail: 26.0 of 60 CPU seconds'],
    });
    expect(await remember({ ...given, stage: 'quick' })).toEqual({
      isWithin: false,
      lines: ['ABOVE mail: 26.0 of 25 CPU seconds'],
    });
    const read = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(project.path, 'test/support', name), 'utf8'));
    expect(await read('durations.json')).toEqual({ 'test/mail.test.ts': 26 });
    const unsteady = (name: string) => ({ file: 'test/mail.test.ts', name, line: 'Error: no' });
    const some = ['a', 'b', 'c', 'd', 'e'].map(unsteady);
    expect(await remember({ ...given, stage: 'all', unsteady: some })).toMatchObject({ isWithin: true });
    expect(await remember({ ...given, stage: 'all', unsteady: [unsteady('a'), unsteady('f')] })).toMatchObject({
      isWithin: false,
      lines: [expect.any(String), '6 tests are unsteady, more than 5'],
    });
    const list = (await read('unsteady.json')) as { name: string }[];
    expect(list.map(({ name }) => name).join('')).toBe('abcdef');
    expect(list[0]).toEqual({ ...unsteady('a'), commit: project.first, date: '2026-11-28' });
  });
});

describe('the parts of a run', () => {
  it('have every file once, take about as long, and are the same whatever the order', () => {
    const files = Array.from({ length: 40 }, (_, at) => ({ name: `file ${at}`, seconds: at % 7 }));
    const parts = partsOf(files, 4);
    expect(
      parts
        .flat()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(files.map(({ name }) => name).toSorted());
    const totals = parts.map((part) => part.reduce((sum, { seconds }) => sum + seconds, 0));
    expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(6);
    expect(partsOf(files.toReversed(), 4)).toEqual(parts);
  });
});

describe('a second try', async () => {
  const { mayRunAgain, secondTry, touchedByChange } = await script<{
    mayRunAgain(file: string, text: string, touched: Set<string>): boolean;
    touchedByChange(root: string): Promise<Set<string> | undefined>;
    secondTry(given: object): Promise<{ name: string }[]>;
  }>('checks/second-try.mjs');

  it.each([
    ['test/services/mail/lists.test.ts', 'expect(1)', true],
    ['test/touched.test.ts', 'expect(1)', false],
    ['test/attacks/cursors.thorough.test.ts', 'expect(1)', false],
    ['test/crypto/merkle.test.ts', 'expect(1)', false],
    ['test/e2e/quorum-killed.soak.test.ts', 'expect(1)', false],
    ['test/platform/store/sqljs/power-loss.soak.test.ts', 'expect(1)', false],
    ['test/cli/vault-canary.soak.test.ts', 'expect(1)', false],
    ['test/cli/files-hostile-names.thorough.test.ts', 'expect(1)', false],
    ['test/a.test.ts', 'fc.assert(fc.property(…))', false],
    ['test/a.test.ts', 'const random = testRandom();', false],
    ['test/a.test.ts', 'for (let kill = 0; kill < rounds(2, 8); kill += 1)', false],
  ])('of %s with %s: %s', (file, text, may) => {
    expect(mayRunAgain(file, text, new Set(['test/touched.test.ts']))).toBe(may);
  });

  const sources = {
    'test/a.test.ts': `import '../src/a.ts';`,
    'test/b.test.ts': `import '../src/b.ts';`,
    'src/a.ts': 'export const a = 1;',
    'src/b.ts': 'export const b = 1;',
    'bin/run.js': '',
    'commands/a.ts': '',
    'scripts/a.mjs': '',
  };

  it('knows what a change touches: since origin/main, or else since the commit before', async () => {
    await using project = await repository(sources);
    expect(await touchedByChange(project.path)).toBeUndefined();
    await project.commit({ 'src/a.ts': 'export const a = 2;' });
    const inB = await project.commit({ 'src/b.ts': 'export const b = 2;' });
    expect([...((await touchedByChange(project.path)) ?? [])]).toEqual(['test/b.test.ts']);
    await project.git('update-ref', 'refs/remotes/origin/main', inB);
    expect([...((await touchedByChange(project.path)) ?? [])]).toEqual(['test/b.test.ts']);
    await project.git('update-ref', 'refs/remotes/origin/main', project.first);
    expect([...((await touchedByChange(project.path)) ?? [])].toSorted()).toEqual(['test/a.test.ts', 'test/b.test.ts']);
  });

  const failed = (...names: (readonly [file: string, name: string])[]) => ({
    testResults: names.map(([file, name]) => ({
      name: file,
      assertionResults: [{ status: 'failed', fullName: name, failureMessages: ['Error: no\n at x'] }],
    })),
  });

  it('is one for each of at most two tests, alone, and counts those that pass', async () => {
    await using project = await repository(sources);
    await project.commit({ 'src/b.ts': 'export const b = 2;' });
    const asked: string[][] = [];
    const tryAgain = async (report: object, status: string) => {
      asked.length = 0;
      const run = async (words: string[]) => {
        asked.push(words);
        const name = (words[2] ?? '').replaceAll(/[\^$\\]/g, '');
        return {
          code: status === 'passed' ? 0 : 1,
          report: { testResults: [{ assertionResults: [{ status, fullName: name }] }] },
        };
      };
      return await secondTry({ report, root: project.path, run });
    };
    const one = ['test/a.test.ts', 'is (a) test?'] as const;
    expect(await tryAgain(failed(one), 'passed')).toEqual([
      { file: 'test/a.test.ts', name: 'is (a) test?', line: 'Error: no' },
    ]);
    expect(asked).toEqual([['test/a.test.ts', '--testNamePattern', String.raw`^is \(a\) test\?$`]]);
    expect(await tryAgain(failed(one), 'failed')).toEqual([]);
    // The change touches this one.
    expect(await tryAgain(failed(one, ['test/b.test.ts', 'is b']), 'passed')).toHaveLength(1);
    expect(asked).toHaveLength(1);
    expect(await tryAgain(failed(one, one, one), 'passed')).toEqual([]);
    expect(
      await tryAgain({ testResults: [{ name: 'test/a.test.ts', message: 'no', assertionResults: [] }] }, 'passed'),
    ).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('errors outside of tests', async () => {
  const { default: ErrorsOutside } = await script<{
    default: new () => { onInit(vitest: object): void; onTestRunEnd(modules: unknown[], errors: unknown[]): void };
  }>('checks/errors-outside.mjs');

  it('are counted beside the report, which leaves them out', async () => {
    await using folder = await temporaryFolder();
    const json = join(folder.path, 'report.json');
    const reporter = new ErrorsOutside();
    reporter.onInit({ config: { outputFile: { json } } });
    for (const errors of [[], [new Error('late')]]) {
      reporter.onTestRunEnd([], errors);
      expect(await readFile(`${json}.errors`, 'utf8')).toBe(String(errors.length));
    }
  });
});

describe('the record of the soak stage', async () => {
  const { keepPart, seedOf, unsteadyTooLong } = await script<{
    keepPart(root: string, result: object): Promise<string[]>;
    seedOf(root: string, part?: object): Promise<number>;
    unsteadyTooLong(root: string, now: Date): Promise<string[]>;
  }>('checks/soak-record.mjs');
  const now = new Date('2026-11-28T10:00:00Z');
  const record = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(path, 'test/soak.json'), 'utf8'));

  it('has commit, date, seed and counts, and only of files that are as they were committed', async () => {
    await using project = await repository({ 'test/soak.json': {}, 'a.ts': '1' });
    const result = { passed: 7, failed: 1, seed: '42', part: undefined, now };
    expect(await keepPart(project.path, result)).toEqual(['all of the soak stage, seed 42: 7 passed, 1 failed']);
    const kept = { commit: project.first, date: '2026-11-28', seed: 42, passed: 7, failed: 1 };
    expect(await record(project.path)).toEqual(kept);
    await project.git('checkout', '-q', '--', '.');
    await fill(project.path, { 'a.ts': '2' });
    expect(await keepPart(project.path, result)).toContain(
      'test/soak.json was not written: files differ from the commit',
    );
  });

  it('of parts comes with the last of them, in any order, and they have one seed', async () => {
    await using project = await repository({ 'test/soak.json': {} });
    const part = (number: number) => ({ number, of: 3 });
    const seeds = [
      await seedOf(project.path, part(2)),
      await seedOf(project.path, part(1)),
      await seedOf(project.path, part(3)),
    ];
    expect(new Set(seeds).size).toBe(1);
    const seed = String(seeds[0]);
    const keep = async (number: number, failed = 0) =>
      (await keepPart(project.path, { passed: number, failed, seed, part: part(number), now }))[0];
    expect(await keep(2)).toBe('part 2 of 3: 1 of them have run');
    // Once more, after something was mended.
    expect(await keep(3, 5)).toBe('part 3 of 3: 2 of them have run');
    expect(await keep(3)).toBe('part 3 of 3: 2 of them have run');
    // The green ones stay where a red one is the last: it alone is run again.
    expect(await keep(1, 2)).toBe('all 3 parts have run, with failures in 1: run that again');
    expect(await keep(1)).toBe(`all of the soak stage, seed ${seed}: 6 passed, 0 failed`);
    expect(await record(project.path)).toMatchObject({ commit: project.first, passed: 6, failed: 0 });
  });

  it('fails for a test that is unsteady for more than 14 days', async () => {
    await using project = await repository({
      'test/support/unsteady.json': [
        { file: 'a', name: 'old', date: '2026-11-13' },
        { file: 'b', name: 'new', date: '2026-11-14' },
      ],
    });
    const today = new Date('2026-11-28T00:00:00Z');
    expect(await unsteadyTooLong(project.path, today)).toEqual([
      'a > old is unsteady since 2026-11-13: mend it, or remove it',
    ]);
  });
});
