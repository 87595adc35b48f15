import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll } from 'vitest';

type Storage = AsyncLocalStorage<unknown>;
type Run = (this: Storage, ...given: unknown[]) => unknown;
const { prototype } = AsyncLocalStorage as unknown as { prototype: { run: Run } };

/**
 * Every storage that was in use once is handed on with every promise from then on, for as long as the process runs: houses and prompts have
 * one each, and a worker has thousands of them. When the tests of a file are done, none is needed any more.
 */
const used = new Set<Storage>();
const { run } = prototype;
prototype.run = function runNoted(...given) {
  used.add(this);
  return run.apply(this, given);
};

afterAll(() => {
  prototype.run = run;
  for (const storage of used) storage.disable();
});
