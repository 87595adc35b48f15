import { execa } from 'execa';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import durations from './durations.json' with { type: 'json' };
import { chosenEngines } from './engines-of-stage.ts';
import { inStage, leftOut, rounds, runsFactor, runsOf, stage, stageOf, type Stage } from './stage.ts';
import { bothEngines, engines } from './stores.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const filesOnDisk = (await readdir(join(root, 'test'), { recursive: true }))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name).replaceAll('\\', '/'))
  .toSorted();

/** What vitest would run, asked of vitest itself. */
async function filesOf(of: Stage): Promise<string[]> {
  const { stdout } = await execa('npx', ['vitest', 'list', '--filesOnly'], {
    cwd: root,
    env: { CONCLAVE_TEST_STAGE: of, CI: '1' },
  });
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .toSorted();
}

describe('the stages of the tests', () => {
  const without = (...names: string[]) =>
    filesOnDisk.filter((file) => !names.some((name) => file.endsWith(`.${name}.test.ts`)));

  // vitest takes seconds to start, so the stages before the last ask it for one of them.
  it('leave out the files that are named so', { tags: 'thorough' }, async () => {
    const quick = without('thorough', 'soak');
    expect(await filesOf('quick')).toEqual(quick);
    expect(quick.length).toBeLessThan(without('soak').length);
  });

  it('leave no other file out, and the last none', { tags: 'soak' }, async () => {
    expect(await filesOf('soak')).toEqual(filesOnDisk);
    expect(await filesOf('all')).toEqual(without('soak'));
    expect(without('soak').length).toBeLessThan(filesOnDisk.length);
  });

  it('are chosen by a variable, and whoever chooses none leaves nothing out', () => {
    const given = [undefined, '', 'soak', 'all', 'quick'];
    expect(given.map(stageOf)).toEqual(['soak', 'soak', 'soak', 'all', 'quick']);
    expect(() => stageOf('fast')).toThrow('CONCLAVE_TEST_STAGE is "fast"');
    expect((['quick', 'all', 'soak'] as const).map(leftOut)).toEqual([['thorough', 'soak'], ['soak'], []]);
  });

  it('take the embedded engine, the second both where engines make a difference, and the last both everywhere', () => {
    const chosen = chosenEngines();
    expect({ bothEngines, engines }).toEqual(
      {
        quick: { bothEngines: [chosen[0]], engines: [chosen[0]] },
        all: { bothEngines: chosen, engines: [chosen[0]] },
        soak: { bothEngines: chosen, engines: chosen },
      }[stage],
    );
    const given = ['', 'both', 'sqljs', 'postgres'].map(chosenEngines);
    expect(given).toEqual([['sqljs', 'postgres'], ['sqljs', 'postgres'], ['sqljs'], ['postgres']]);
    expect(() => chosenEngines('mysql')).toThrow('CONCLAVE_TEST_ENGINES is "mysql"');
  });

  it('ask each service on both engines from the second on: its scenario', async () => {
    const services = await readdir(join(root, 'src/services'));
    expect(services.length).toBeGreaterThan(3);
    for (const service of services) {
      const scenario = await readFile(join(root, 'test/services', service, 'scenario.test.ts'), 'utf8');
      expect(scenario, service).toContain('describe.each(bothEngines)(');
    }
  });

  it('have less of an amount the earlier they are, and a dear thing a few times before the last', () => {
    const at = { quick: 1, all: 2, soak: 3 }[stage];
    expect(inStage(1, 2, 3)).toBe(at);
    expect(rounds(2, 40)).toBe(stage === 'soak' ? runsOf(40, runsFactor(process.env['CONCLAVE_TEST_RUNS'], stage)) : 2);
  });

  it('try properties as often as is written, the first two less, or as often as a variable says', () => {
    expect((['quick', 'all', 'soak'] as const).map((of) => runsFactor(undefined, of))).toEqual([0.1, 0.25, 1]);
    expect([runsFactor('', 'soak'), runsFactor('20', 'quick')]).toEqual([1, 20]);
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
