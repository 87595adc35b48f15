import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Modules remember nothing, so files can share a worker and its loaded modules.
    isolate: false,
    // Processes rather than threads: tests send signals and load native modules, and a crash names its file.
    pool: 'forks',
    // By default one core is left over for nobody: tests wait for disks and children more than they compute.
    maxWorkers: availableParallelism(),
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
