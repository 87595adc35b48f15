import type { Config } from '../../config/config.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Compiles the embedded database in other threads while this thread loads the rest of the server, which takes longer. Opening the store
 * awaits the result and throws its error.
 */
export async function compileAhead(config: Pick<Config, 'database'>): Promise<void> {
  if (config.database !== undefined) return;
  const { loadBuild } = await import('../../platform/store/sqljs/build.ts');
  void loadBuild().catch(() => undefined);
}

/**
 * Keeps the process about as small under load as it is at rest. After the start, the space of young objects does not grow any more, and the
 * rest grows by 30 % of the live data between two collections. The process then needs two thirds of the memory, at 8 % more CPU. The flags
 * apply to the whole process, so this is only for a process that does nothing but serve. Afterwards V8 compiles what it loads from its
 * text: what it has compiled before belongs to other flags.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=30');
  // Streams collect the young objects more often than V8 would (http/byte-budget.ts). Only a new context gets the function.
  setFlagsFromString('--expose-gc');
  globalThis.gc = runInNewContext('globalThis.gc') as typeof globalThis.gc;
}
