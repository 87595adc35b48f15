import { execa } from 'execa';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import durations from './durations.json' with { type: 'json' };
import { inStage, runsFactor, runsOf, stageOf } from './stage.ts';
import { bothEngines, engines } from './stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const filesOnDisk = (await readdir(join(root, 'test'), { recursive: true }))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name).replaceAll('\\', '/'))
  .toSorted();

/** What vitest would run, asked of vitest itself. */
async function filesOf(stage: 'quick' | 'all'): Promise<string[]> {
  const { stdout } = await execa('npx', ['vitest', 'list', '--filesOnly'], {
    cwd: root,
    env: { CONCLAVE_TEST_STAGE: stage, CI: '1' },
  });
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .toSorted();
}

describe('the stages of the tests', () => {
  it(
    'leave no file out: the second has every one, the first all but the thorough ones',
    { tags: 'thorough' },
    async () => {
      expect(await filesOf('all')).toEqual(filesOnDisk);
      const quick = await filesOf('quick');
      expect(quick).toEqual(filesOnDisk.filter((name) => !name.endsWith('.thorough.test.ts')));
      expect(quick.length).toBeLessThan(filesOnDisk.length);
    },
  );

  it('are chosen by a variable, and whoever chooses none leaves nothing out', () => {
    expect([undefined, '', 'all', 'quick'].map(stageOf)).toEqual(['all', 'all', 'all', 'quick']);
    expect(() => stageOf('fast')).toThrow('CONCLAVE_TEST_STAGE is "fast"');
  });

  it('take both engines, and the first the embedded one alone where engines make no difference', () => {
    expect(bothEngines).toEqual(expect.arrayContaining([...engines]));
    expect(engines).toEqual(stageOf(process.env['CONCLAVE_TEST_STAGE']) === 'all' ? bothEngines : [bothEngines[0]]);
  });

  it('ask each service on both engines in both: its scenario', async () => {
    const services = await readdir(join(root, 'src/services'));
    expect(services.length).toBeGreaterThan(3);
    for (const service of services) {
      const scenario = await readFile(join(root, 'test/services', service, 'scenario.test.ts'), 'utf8');
      expect(scenario, service).toContain('describe.each(bothEngines)(');
    }
  });

  it('have less of an amount in the first', () => {
    expect(inStage(1, 2)).toBe(stageOf(process.env['CONCLAVE_TEST_STAGE']) === 'all' ? 2 : 1);
  });

  it('try properties as often as is written, the first a tenth of it, or as often as a variable says', () => {
    expect([runsFactor(undefined, 'all'), runsFactor('', 'quick'), runsFactor('20', 'quick')]).toEqual([1, 0.1, 20]);
    for (const wrong of ['0', '-1', 'x', '1e9', 'NaN']) {
      expect(() => runsFactor(wrong, 'all')).toThrow('CONCLAVE_TEST_RUNS is');
    }
    expect([runsOf(300, 1), runsOf(300, 0.1), runsOf(300, 20)]).toEqual([300, 30, 6000]);
    // A property that is tried once or twice says nothing.
    expect([runsOf(30, 0.1), runsOf(3, 0.1)]).toEqual([5, 3]);
  });

  it('begin with files that are there, but for some that were moved since', () => {
    expect(Object.keys(durations).filter((name) => !filesOnDisk.includes(name)).length).toBeLessThan(15);
  });
});
