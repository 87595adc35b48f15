import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { CanaryAction, CanaryBinding } from '../../../contract/filevault/canaries.ts';
import { hashCode, removeCode, storeCode } from '../../../shared/members/duress.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { record } from '../audit.ts';
import { actionsNamed, assertAllowed, assertFields, assertReadable, hoursOf } from './checked.ts';
import { watchFiles } from './files.ts';
import { cancelCanary, planAbsence } from './firing.ts';
import { ownCanary } from './own.ts';
import { shownCanary } from './shown.ts';

interface Changes {
  readonly id: string;
  readonly name?: string | undefined;
  readonly hours?: number | undefined;
  readonly warnHours?: number | undefined;
  readonly fileIds?: readonly string[] | undefined;
  readonly code?: string | undefined;
  readonly actions?: readonly CanaryAction[] | undefined;
  readonly armed?: boolean | undefined;
}

export async function changeCanary(ctx: Context, actor: Actor, changes: Changes): Promise<CanaryBinding> {
  const { id, name, hours, warnHours, fileIds, code, armed } = changes;
  const found = await ownCanary(ctx, actor, id);
  assertFields(found.condition, changes);
  const actions = changes.actions === undefined ? undefined : await actionsNamed(ctx, changes.actions);
  const { address } = actor;
  if (actions !== undefined) await assertAllowed(ctx, { ...found, address }, actions);
  const hashed = code === undefined ? undefined : await hashCode(ctx, code);
  return await transaction(ctx, async (tx) => {
    const before = await ownCanary(tx, actor, id);
    if (fileIds !== undefined) await assertReadable(tx, actor, fileIds);
    const now = tx.clock.now();
    const longest = hours ?? before.hours ?? 0;
    const times = { hours: longest, warnHours: warnHours ?? Math.min(before.warn_hours ?? longest, longest) };
    const row = await tx.db
      .updateTable('file_canaries')
      .set({
        ...(name !== undefined && { name }),
        ...((hours !== undefined || warnHours !== undefined) && hoursOf(times)),
        ...(actions !== undefined && { actions: JSON.stringify(actions), address }),
        ...(armed === false && { state: 'off' }),
        // Another number makes a job void that is on its way.
        ...(armed === true && { state: 'armed', firing: before.firing + 1, seen_at: now, warned_at: null }),
        updated_at: now,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (fileIds !== undefined) await watchFiles(tx, id, fileIds);
    if (hashed !== undefined) await storeCode(tx, actor.memberId, id, hashed);
    await planAbsence(tx, row);
    await record(tx, actor, { action: 'CANARY_CHANGED', metadata: { canaryId: id } });
    return await shownCanary(tx, row);
  });
}

export async function removeCanary(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    await ownCanary(tx, actor, id);
    await cancelCanary(tx, id);
    await removeCode(tx, actor.memberId, id);
    await withdraw(tx, { targetId: id, recipientId: actor.memberId });
    await tx.db.deleteFrom('file_canaries').where('id', '=', id).execute();
    await record(tx, actor, { action: 'CANARY_REMOVED', metadata: { canaryId: id } });
    return null;
  });
}
