import type { Config } from '../config/config.ts';
import { setFlagsFromString } from 'node:v8';

/**
 * Has other threads compile the embedded database while this one loads the rest of the server, which takes longer. Opening the store
 * awaits it, and throws what went wrong.
 */
export async function compileAhead(config: Pick<Config, 'database'>): Promise<void> {
  if (config.database !== undefined) return;
  const { loadBuild } = await import('../store/sqljs/build.ts');
  void loadBuild().catch(() => undefined);
}

/**
 * Has the process stay about as small under load as it is at rest: after starting, the space of young objects grows no more, and the
 * rest by 30 % of what lives between two collections: two thirds of the memory, at 8 % more CPU. Flags are those of the whole process, so
 * this is for one that does nothing but serve.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=30');
}
