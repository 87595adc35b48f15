import { execa } from 'execa';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';

const script = fileURLToPath(new URL('../../.ci/run', import.meta.url));

/** Runs a copy of .ci/run whose scripts/test does this. */
async function runWith(body: string) {
  await using folder = await temporaryFolder();
  const [run, test] = [join(folder.path, '.ci/run'), join(folder.path, 'scripts/test')];
  for (const path of [run, test]) await mkdir(dirname(path));
  await copyFile(script, run);
  await writeFile(test, `#!/bin/sh\n${body}\n`);
  await chmod(test, 0o755);
  const { exitCode, stdout } = await execa(run, ['--bail=1'], { reject: false });
  const lines = stdout.split('\n');
  return { exitCode, last: lines.at(-1), lines };
}

const count = (line: string) => `printf '%s' '${line}' >"$CONCLAVE_CHECK_COUNTS"`;

describe('.ci/run', () => {
  it('asks for both stages, passes its options on, and ends with the counts', async () => {
    const { exitCode, last, lines } = await runWith(`echo "$@"; ${count('5866 passed, 0 failed')}`);
    expect([exitCode, last]).toEqual([0, '5866 passed, 0 failed']);
    expect(lines[0]).toBe('--all --bail=1');
  });

  it.each([
    ['a check failed', `${count('17 passed, 2 failed')}; exit 1`, '17 passed, 2 failed'],
    ['it failed, whatever its end says', count('17 passed, 2 failed'), '17 passed, 2 failed'],
    ['it ended badly against its counts', `${count('17 passed, 0 failed')}; exit 1`, '17 passed, 1 failed'],
    ['it ended before it counted', 'exit 1', '0 passed, 1 failed'],
    ['it counted nothing', 'exit 0', '0 passed, 1 failed'],
    ['a signal ended it', 'kill -9 $$', '0 passed, 1 failed'],
    ['it ended in the middle of the line', `${count('17 passed')}; exit 0`, '17 passed, 1 failed'],
  ])('fails where %s', async (_what, body, line) => {
    expect(await runWith(body)).toMatchObject({ exitCode: 1, last: line });
  });
});
