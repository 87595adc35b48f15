import { requireRole, type Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { assertStillAllowed } from '../../shared/members/still-signed-in.ts';
import { planReminders } from '../../shared/notifications/absences.ts';

const administrators = { any: ['Admin'] } as const;

export async function remindAbsent(
  ctx: Context,
  actor: Actor,
  { inactiveDays }: { readonly inactiveDays: number },
): Promise<{ generated: number }> {
  requireRole(actor, administrators);
  return await transaction(ctx, async (tx) => {
    await assertStillAllowed(tx, actor, administrators);
    return { generated: await planReminders(tx, inactiveDays) };
  });
}
