import type { Context } from '../../../service/context.ts';
import { record } from '../audit/record.ts';
import { countHoldersChanged } from '../documents/holders.ts';
import { beginEpoch, currentEpoch, holdEpoch } from './epochs.ts';

/**
 * Ends the transition to quorum mode as soon as no document has a former member among its holders. Call it after whatever may have changed
 * that: a re-sharing, the end of a document, a change of members.
 *
 * @param actorId who did that
 */
export async function finishTransition(tx: Context, actorId: string): Promise<void> {
  if ((await currentEpoch(tx)).mode !== 'transition_in_progress') return;
  const from = await holdEpoch(tx);
  if (from.mode !== 'transition_in_progress' || (await countHoldersChanged(tx)) > 0) return;
  const { epoch, changed } = await beginEpoch(tx, from, { mode: 'quorum' }, null);
  const details = { mode: epoch.mode, epoch: epoch.number };
  await record(tx, actorId, { action: 'MODE_CHANGED', subject: `epoch/${epoch.number}`, details }, changed);
}
