/**
 * How much of the tests runs: `quick` is what scripts/test runs, `all` what has to hold before a change is handed in (.ci/run), and `soak`
 * everything: all tests on both engines, kill loops, releases, memory and parted networks, with new seeds.
 */
export type Stage = 'quick' | 'all' | 'soak';

/** Tests that the quick stage leaves out: files named *.thorough.test.ts, and single tests with this tag. */
export const thorough = 'thorough';

/** Tests that only the soak stage runs, likewise. */
export const soak = 'soak';

/** What CONCLAVE_TEST_STAGE says; whoever calls vitest directly leaves nothing out. */
export function stageOf(given: string | undefined): Stage {
  const wanted = given ?? '';
  if (wanted === '' || wanted === 'soak') return 'soak';
  if (wanted === 'quick' || wanted === 'all') return wanted;
  throw new Error(`CONCLAVE_TEST_STAGE is ${JSON.stringify(given)}; it can be quick, all or soak.`);
}

/** What a stage leaves out, by the end of a file's name and by the tag of a test. */
export function leftOut(of: Stage): readonly string[] {
  return { quick: [thorough, soak], all: [soak], soak: [] }[of];
}

/** How many times as often as written properties are tried where CONCLAVE_TEST_RUNS says nothing. */
const usualFactor: Readonly<Record<Stage, number>> = { quick: 0.1, all: 0.25, soak: 1 };

/** What CONCLAVE_TEST_RUNS says, or what is usual in the stage. */
export function runsFactor(given: string | undefined, of: Stage): number {
  if (given === undefined || given === '') return usualFactor[of];
  const factor = Number(given);
  if (!(factor > 0 && factor <= 10_000)) {
    throw new Error(`CONCLAVE_TEST_RUNS is ${JSON.stringify(given)}; it is a number above 0, at most 10000.`);
  }
  return factor;
}

/** `wanted` times the factor, but so often that a property still says something. */
export function runsOf(wanted: number, factor: number): number {
  return Math.max(Math.min(wanted, 5), Math.round(wanted * factor));
}

export const stage = stageOf(process.env['CONCLAVE_TEST_STAGE']);
const factor = runsFactor(process.env['CONCLAVE_TEST_RUNS'], stage);

/** An amount of something: less of it in the earlier stages, where it shows the same in less time. */
export function inStage<T>(quick: T, all: T, full: T): T {
  return { quick, all, soak: full }[stage];
}

/** How often a property is tried in this run, of `wanted` times: `fc.assert(…, { numRuns: runs(300) })`. */
export function runs(wanted: number): number {
  return runsOf(wanted, factor);
}

/** How often something dear happens, such as a kill: a few times, and in the soak stage `full` times the factor of its counts. */
export function rounds(few: number, full: number): number {
  return stage === 'soak' ? runsOf(full, factor) : few;
}
