import type { Context } from '../../service/context.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';

/**
 * After others lost sight of what a member does, such as by a suspension: has everybody who is shown it told, after the commit. A job does
 * it, however many they are.
 */
export async function planHiddenMember(tx: Context, memberId: string): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, {
    id: `member-hidden/${memberId}`,
    kind: 'member-hidden',
    payload: { memberId },
    runAt: now,
    now,
  });
}
