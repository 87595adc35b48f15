import type { Context } from '../../src/service/context.ts';
import { logKeyOf, originOf } from '../../src/crypto/formats/ledger/log-key.ts';
import { stopSigning } from '../../src/platform/ledger/witness/stop.ts';

/** Stops a node from signing, as if a copy of it had been heard. */
export async function stopAsCopy(ctx: Context): Promise<void> {
  await stopSigning(ctx, 'cloned', { origin: originOf(logKeyOf(ctx.keys)) });
}
