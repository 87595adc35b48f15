import type { Context } from '../../service/context.ts';
import { forgetUpdates } from '../../platform/store/before-update.ts';

/** Deletes what the node keeps for a while, beside its store. */
export async function purgeNode({ config, clock }: Pick<Context, 'config' | 'clock'>): Promise<void> {
  await forgetUpdates(config.dataDir, clock.now());
}
