/** What of the tests runs: `quick` is what scripts/test runs, `all` everything. */
export type Stage = 'quick' | 'all';

/** Tests that only the second stage runs: files named *.thorough.test.ts, and single tests with this tag. */
export const thorough = 'thorough';

/** What CONCLAVE_TEST_STAGE says; whoever calls vitest directly leaves nothing out. */
export function stageOf(given: string | undefined): Stage {
  const stage = given ?? '';
  if (stage === '' || stage === 'all') return 'all';
  if (stage === 'quick') return 'quick';
  throw new Error(`CONCLAVE_TEST_STAGE is ${JSON.stringify(given)}; it can be quick or all.`);
}

/** How many times as often as written properties are tried: what CONCLAVE_TEST_RUNS says, or a tenth in the first stage. */
export function runsFactor(given: string | undefined, stage: Stage): number {
  if (given === undefined || given === '') return stage === 'quick' ? 0.1 : 1;
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

/** An amount of something: less of it in the first stage, where it shows the same in less time. */
export function inStage<T>(first: T, second: T): T {
  return stage === 'quick' ? first : second;
}

/** How often a property is tried in this run, of `wanted` times: `fc.assert(…, { numRuns: runs(300) })`. */
export function runs(wanted: number): number {
  return runsOf(wanted, factor);
}
