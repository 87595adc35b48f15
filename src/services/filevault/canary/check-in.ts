import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { duressBy, reportDuress } from '../../../shared/members/duress.ts';
import { ownCanary } from './own.ts';
import { planAbsence } from './firing.ts';
import { shownTimes } from './shown.ts';
import { signedInAt } from './times.ts';

interface CheckedIn {
  readonly checkedIn: true;
  readonly at: string;
  readonly firesAt?: string;
}

/** Every code is answered as none is. The check of a code costs the same whether it is one. */
export async function checkIn(
  ctx: Context,
  actor: Actor,
  { id, code }: { readonly id: string; readonly code?: string | undefined },
): Promise<CheckedIn> {
  await ownCanary(ctx, actor, id);
  const duress = code === undefined ? undefined : await duressBy(ctx, actor.memberId, code);
  return await transaction(ctx, async (tx) => {
    await ownCanary(tx, actor, id);
    const now = tx.clock.now();
    const row = await tx.db
      .updateTable('file_canaries')
      .set({ seen_at: now, warned_at: null })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await planAbsence(tx, row);
    if (duress !== undefined) await reportDuress(tx, actor.memberId, duress);
    const { firesAt } = shownTimes(row, await signedInAt(tx, row.owner_id));
    return { checkedIn: true, at: new Date(now).toISOString(), ...(firesAt !== undefined && { firesAt }) } as const;
  });
}
