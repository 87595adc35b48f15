import { execa } from 'execa';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly detail: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

async function count(
  files: Record<string, (string | readonly [status: string, tag: string])[]> | undefined,
  exitCode: number,
  options?: { readonly whole: boolean; readonly leaves?: readonly string[] },
): Promise<Counts> {
  const { countTests } = (await import(join(root, 'scripts/checks/count-tests.mjs'))) as {
    countTests(
      report: unknown,
      exitCode: number,
      options?: { readonly whole: boolean; readonly leaves?: readonly string[] },
    ): Counts;
  };
  const testResults = Object.entries(files ?? {}).map(([name, statuses]) => ({
    name,
    status: statuses.length === 0 || statuses.includes('failed') ? 'failed' : 'passed',
    assertionResults: statuses.map((status) =>
      typeof status === 'string'
        ? { status, fullName: 'a test' }
        : { status: status[0], fullName: 'a test', tags: [status[1]] },
    ),
  }));
  return countTests(files && { testResults }, exitCode, options);
}

describe('counting tests', () => {
  it('counts what passed, failed and was skipped', async () => {
    const counts = await count({ 'a.test.ts': ['passed', 'failed', 'pending'], 'b.test.ts': ['passed'] }, 1);
    expect(counts).toEqual({ passed: 2, failed: 1, detail: '2 passed, 1 failed, 1 skipped' });
  });

  it('counts a file that could not be loaded as a failure', async () => {
    const counts = await count({ 'a.test.ts': ['passed'], 'broken.test.ts': [] }, 1);
    expect(counts).toMatchObject({ passed: 1, failed: 1, detail: expect.stringContaining('broken.test.ts') });
  });

  it.each([
    ['no report', undefined, 1],
    ['no report though all is well', undefined, 0],
    ['no test', {}, 0],
    ['nothing but skipped tests', { 'a.test.ts': ['skipped'] }, 0],
    ['errors outside the tests', { 'a.test.ts': ['passed'] }, 1],
  ])('counts %s as a failure', async (_, files, exitCode) => {
    expect((await count(files, exitCode)).failed).toBe(1);
  });
});

describe('naming what failed', () => {
  it('gives file, name and the first line of what was said, also of a file that could not be loaded', async () => {
    const { failedTests } = (await import(join(root, 'scripts/checks/count-tests.mjs'))) as {
      failedTests(report: unknown, root: string): string[];
    };
    const result = (status: string, failureMessages: string[] = []) => ({
      status,
      fullName: `${status} one`,
      failureMessages,
    });
    const testResults = [
      {
        name: '/home/a.test.ts',
        message: '',
        assertionResults: [result('passed'), result('failed', ['Error: no\nat x'])],
      },
      { name: '/home/b.test.ts', message: 'cannot load\nat y', assertionResults: [] },
      { name: '/home/c.test.ts', message: '', assertionResults: [result('passed')] },
    ];
    expect(failedTests({ testResults }, '/home/')).toEqual([
      'a.test.ts > failed one: Error: no',
      'b.test.ts: cannot load',
    ]);
    expect(failedTests(undefined, '/home/')).toEqual([]);
  });
});

describe('counting the tests of a run that is to leave none out', () => {
  it.each(['pending', 'skipped', 'todo', 'disabled'])(
    'counts one that is %s as a failure, by its name',
    async (status) => {
      const counts = await count({ 'a.test.ts': ['passed', status] }, 0, { whole: true });
      expect(counts).toEqual({
        passed: 1,
        failed: 1,
        detail: '1 passed, 1 failed, 1 skipped, left out: a test',
      });
    },
  );

  it('takes what the machine does not have as said, and nothing else', async () => {
    const tagged = async (tag: string) =>
      (await count({ 'a.test.ts': ['passed', ['skipped', tag]] }, 0, { whole: true })).failed;
    expect([await tagged('needs-mount'), await tagged('thorough'), await tagged('soak')]).toEqual([0, 1, 1]);
    const ofStage = await count({ 'a.test.ts': ['passed', ['skipped', 'soak']] }, 0, { whole: true, leaves: ['soak'] });
    expect(ofStage.failed).toBe(0);
  });
});

describe('.ci/run', () => {
  it('leaves no test out', async () => {
    expect(await readFile(join(root, '.ci/run'), 'utf8')).toContain('"$root/scripts/test" --all "$@"');
  });

  it.each([
    ['echo "5 passed, 0 failed" > "$CONCLAVE_CHECK_COUNTS"', '5 passed, 0 failed', 0],
    ['echo "5 passed, 2 failed" > "$CONCLAVE_CHECK_COUNTS"; exit 1', '5 passed, 2 failed', 1],
    ['echo "5 passed, 2 failed" > "$CONCLAVE_CHECK_COUNTS"', '5 passed, 2 failed', 1],
    ['echo "5 passed, 0 failed" > "$CONCLAVE_CHECK_COUNTS"; exit 3', '5 passed, 1 failed', 1],
    ['exit 0', '0 passed, 1 failed', 1],
    ['kill -9 $$', '0 passed, 1 failed', 1],
  ])('after %s ends with %s', async (script, line, exitCode) => {
    const folder = await mkdtemp(join(tmpdir(), 'conclave-ci-'));
    try {
      await mkdir(join(folder, 'scripts'));
      await cp(join(root, '.ci'), join(folder, '.ci'), { recursive: true });
      await writeFile(join(folder, 'scripts/test'), `#!/bin/sh\n${script}\n`);
      await chmod(join(folder, 'scripts/test'), 0o755);
      const result = await execa(join(folder, '.ci/run'), { reject: false });
      expect(result.stdout.split('\n').at(-1)).toBe(line);
      expect(result.exitCode === 0 ? 0 : 1).toBe(exitCode);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
