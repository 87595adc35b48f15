import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { leftOut, soak, stage, thorough } from './test/support/stage.ts';

export default defineConfig({
  resolve: {
    alias: [
      {
        find: './start-thread.ts',
        replacement: fileURLToPath(new URL('test/support/built-threads.ts', import.meta.url)),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut(stage).map((name) => `**/*.${name}.test.ts`)],
    tags: [
      { name: thorough, description: 'is left out of the quick stage' },
      { name: soak, description: 'runs in the soak stage only' },
      // A test that is left out of `scripts/test --all` without one of these is a failure.
      { name: 'needs-mount', description: 'mounts a disk, as root may on Linux' },
      {
        name: 'needs-program',
        description: 'runs a program that not every machine has: git, a shell, the script of util-linux',
      },
      { name: 'needs-node-options', description: 'gives options to Node, of which the program in one file takes none' },
      { name: 'needs-system', description: 'is about what some operating systems have' },
    ],
    ...(leftOut(stage).length > 0 && { tagsFilter: leftOut(stage).map((name) => `!${name}`) }),
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: [
      'test/support/measure-cpu.ts',
      'test/support/seed-randomness.ts',
      'test/support/seed-properties.ts',
      'test/support/equal-bytes.ts',
      'test/support/end-storages.ts',
      'test/support/record-statements.ts',
    ],
    // Modules remember nothing, so files can share a worker and its loaded modules.
    isolate: false,
    // Processes rather than threads: tests send signals and load native modules, and a crash names its file.
    pool: 'forks',
    // One more than there are cores: tests wait for disks, children and time-outs, but each worker loads and compiles everything anew.
    maxWorkers: availableParallelism() + 1,
    // A machine may be busy with other things: what takes so long hangs. The soak stage does more of everything.
    testTimeout: stage === 'soak' ? 600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
