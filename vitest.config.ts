import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed-properties.ts'],
    // Modules remember nothing, so files can share a worker and its loaded modules.
    isolate: false,
    // Processes rather than threads: tests send signals and load native modules, and a crash names its file.
    pool: 'forks',
    // One more than there are cores: tests wait for disks, children and time-outs as much as they compute.
    maxWorkers: availableParallelism() + 1,
    // A machine may be busy with other things: what takes so long hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
