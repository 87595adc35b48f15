import type { Config } from '../config/config.ts';

/**
 * Has other threads compile the embedded database while this one loads the rest of the server, which takes longer. Opening the store
 * awaits it, and throws what went wrong.
 */
export async function compileAhead(config: Pick<Config, 'database'>): Promise<void> {
  if (config.database !== undefined) return;
  const { loadBuild } = await import('../store/sqljs/build.ts');
  void loadBuild().catch(() => undefined);
}
