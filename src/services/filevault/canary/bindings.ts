import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { CanaryAction, CanaryBinding } from '../../../contract/filevault/canaries.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { hashCode, storeCode } from '../../../shared/members/duress.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';
import { record } from '../audit.ts';
import { actionsNamed, assertAllowed, assertFields, assertReadable, hoursOf } from './checked.ts';
import { watchFiles } from './files.ts';
import { planAbsence } from './firing.ts';
import { ownCanary } from './own.ts';
import { shownCanaries, shownCanary } from './shown.ts';

interface NewCanary {
  readonly name: string;
  readonly condition: FileCanaryRow['condition'];
  readonly hours?: number | undefined;
  readonly warnHours?: number | undefined;
  readonly fileIds?: readonly string[] | undefined;
  readonly code?: string | undefined;
  readonly actions: readonly CanaryAction[];
}

/** Every member may bind canaries: each does what its owner may do. */
export async function createCanary(ctx: Context, actor: Actor, wanted: NewCanary): Promise<CanaryBinding> {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as CanaryBinding;
  const { name, condition, fileIds = [], code } = wanted;
  assertFields(condition, wanted);
  const missing = { ABSENCE: 'hours', PRESENCE: 'fileIds', DURESS: 'code' } as const;
  if (wanted[missing[condition]] === undefined) throw fieldProblem(missing[condition], `is needed for ${condition}`);
  const now = ctx.clock.now();
  const actions = await actionsNamed(ctx, wanted.actions);
  const row: FileCanaryRow = {
    id: recordId(now, ctx.random),
    owner_id: actor.memberId,
    name,
    condition,
    ...hoursOf(wanted),
    actions: JSON.stringify(actions),
    address: actor.address,
    state: 'armed',
    firing: 1,
    seen_at: now,
    warned_at: null,
    fired_at: null,
    created_at: now,
    updated_at: now,
  };
  await assertAllowed(ctx, row, actions);
  const hashed = code === undefined ? undefined : await hashCode(ctx, code);
  return await transaction(ctx, async (tx) => {
    await assertReadable(tx, actor, fileIds);
    return await once(tx, async () => {
      await assertRoom(tx, actor, condition);
      await tx.db.insertInto('file_canaries').values(row).execute();
      await watchFiles(tx, row.id, fileIds);
      if (hashed !== undefined) await storeCode(tx, actor.memberId, row.id, hashed);
      await planAbsence(tx, row);
      await record(tx, actor, { action: 'CANARY_CREATED', metadata: { canaryId: row.id, condition } });
      return await shownCanary(tx, row);
    });
  });
}

async function assertRoom(tx: Context, actor: Actor, condition: FileCanaryRow['condition']): Promise<void> {
  const own = await tx.db
    .selectFrom('file_canaries')
    .select('condition')
    .where('owner_id', '=', actor.memberId)
    .execute();
  if (own.length >= filevaultLimits.canaries)
    throw new Problem('conflict', 'CANARIES_FULL', 'You have too many canaries. Remove one first.');
  if (condition === 'DURESS' && own.some((row) => row.condition === 'DURESS'))
    throw new Problem('conflict', 'CANARIES_FULL', 'You have a canary for duress already. Change that one.');
}

export async function listCanaries(
  ctx: Context,
  { memberId }: Actor,
  page: PageRequest,
): Promise<{ bindings: CanaryBinding[] } & Next> {
  const query = ctx.db.selectFrom('file_canaries').selectAll().where('owner_id', '=', memberId);
  const by = [asc<FileCanaryRow>('id', (row) => row.id)];
  const { rows, next } = await readPage(ctx, query, { list: 'filevault.list-canaries', memberId, by }, page);
  return { bindings: await shownCanaries(ctx, memberId, rows), ...next };
}

export async function showCanary(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<CanaryBinding> {
  return await shownCanary(ctx, await ownCanary(ctx, actor, id));
}
