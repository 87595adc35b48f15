import type { Mutant } from './mutant.ts';

export const planMutants: readonly Mutant[] = [
  {
    file: 'src/platform/store/jobs/job-rows.ts',
    what: 'claim that was lost',
    from: "    .where('claim', '=', claim)\n",
    to: '',
    tests: ['test/platform/store/jobs/plans.test.ts', 'test/platform/store/jobs/jobs.test.ts'],
  },
  {
    file: 'src/platform/store/jobs/job-rows.ts',
    what: 'next time after a failure',
    from: 'Math.min(times.retryAt, next)',
    to: 'times.retryAt',
    tests: ['test/platform/store/jobs/plans.test.ts'],
  },
  {
    file: 'src/platform/store/jobs/job-rows.ts',
    what: 'next time of what comes again',
    from: 'run_at: nextMoment(job.schedule, now), attempts: 0',
    to: 'run_at: now, attempts: 0',
    tests: ['test/platform/store/jobs/plans.test.ts'],
  },
  {
    file: 'src/platform/store/jobs/jobs.ts',
    what: 'end of a job in its transaction',
    from: '      await job.finish(tx.db);\n      await body',
    to: '      await body',
    tests: ['test/platform/store/jobs/plans.test.ts', 'test/platform/store/jobs/jobs.test.ts'],
  },
  {
    file: 'src/platform/store/jobs/plans.ts',
    what: 'beginning of a period',
    from: 'before.everyMs === schedule.everyMs ? before.from : now',
    to: 'before.everyMs === schedule.everyMs ? now : now',
    tests: ['test/platform/store/jobs/plans.test.ts', 'test/node/listeners/background.test.ts'],
  },
  {
    file: 'src/platform/store/jobs/schedule.ts',
    what: 'what was missed',
    from: '(Math.floor((after - from) / everyMs) + 1)',
    to: 'Math.ceil((after - from) / everyMs)',
    tests: ['test/platform/store/jobs/schedule.test.ts'],
  },
  {
    file: 'src/platform/store/jobs/schedule.ts',
    what: 'time that the clock skips',
    from: '(fits ?? before)',
    to: '(fits ?? after)',
    tests: ['test/platform/store/jobs/schedule.test.ts'],
  },
  {
    file: 'src/node/listeners/background.ts',
    what: 'times at which expired rows go',
    from: 'const PURGE_MS = 600_000;',
    to: 'const PURGE_MS = 60_000;',
    tests: ['test/node/listeners/background.test.ts'],
  },
];
