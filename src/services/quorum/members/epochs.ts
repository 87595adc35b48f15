import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { QuorumEpoch, QuorumStatus } from '../../../contract/quorum/epochs.ts';
import { Problem } from '../../../base/problem.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { QuorumEpochRow, QuorumMode } from '../../../platform/store/tables/quorum.ts';
import { isInsider, memberOf } from '../access.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { countHoldersChanged } from '../documents/holders.ts';
import { tellEpoch } from '../events/membership.ts';
import { unverifiedLinks } from './linking.ts';

/** The membership as the rules read it. */
export interface Epoch {
  /** 0 before the first member */
  readonly number: number;
  readonly mode: QuorumMode;
  readonly threshold: number;
  /** ids of the active members, sorted */
  readonly memberIds: readonly string[];
  /** ids, sorted; empty if there is no inner quorum */
  readonly innerIds: readonly string[];
}

/** The current epoch. */
export async function currentEpoch(ctx: Context): Promise<Epoch> {
  const row = await ctx.db
    .selectFrom('quorum_state as s')
    .innerJoin('quorum_epochs as e', 'e.number', 's.epoch')
    .selectAll('e')
    .executeTakeFirst();
  return row === undefined ? beginning(ctx) : epochOf(row);
}

/**
 * The current epoch, which nobody else changes before the end of the transaction. Every change of the membership, and every decision that
 * depends on it, holds it first and decides by what it says.
 */
export async function holdEpoch(tx: Context): Promise<Epoch> {
  await tx.db
    .insertInto('quorum_state')
    .values({ id: 1, epoch: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet((e) => ({ epoch: e.ref('quorum_state.epoch') })))
    .execute();
  return await currentEpoch(tx);
}

export async function epochNumbered(ctx: Context, number: number): Promise<Epoch | undefined> {
  const row = await ctx.db.selectFrom('quorum_epochs').selectAll().where('number', '=', number).executeTakeFirst();
  return row === undefined ? undefined : epochOf(row);
}

/**
 * Begins the next epoch. The caller holds the current one.
 * @returns the rows that changed, for `record`
 * @throws Problem invalid INVALID_MEMBER_COUNT, INVALID_THRESHOLD
 */
export async function beginEpoch(
  tx: Context,
  from: Epoch,
  change: Partial<Pick<Epoch, 'mode' | 'threshold' | 'memberIds' | 'innerIds'>>,
  proposalId: string | null,
): Promise<{ readonly epoch: Epoch; readonly changed: ChangedRow[] }> {
  const merged = { ...from, ...change, number: from.number + 1 };
  const memberIds = merged.memberIds.toSorted();
  const innerIds = merged.innerIds.filter((id) => memberIds.includes(id)).toSorted();
  // An inner quorum that lost too many members could decide nothing, so all members decide again.
  const epoch = { ...merged, memberIds, innerIds: innerIds.length < merged.threshold ? [] : innerIds };
  await tx.db
    .insertInto('quorum_epochs')
    .values({
      number: epoch.number,
      mode: epoch.mode,
      threshold: epoch.threshold,
      member_ids: JSON.stringify(memberIds),
      inner_member_ids: JSON.stringify(epoch.innerIds),
      previous: from.number === 0 ? null : from.number,
      proposal_id: proposalId,
      created_at: tx.clock.now(),
    })
    .execute();
  await tx.db.updateTable('quorum_state').set({ epoch: epoch.number }).where('id', '=', 1).execute();
  await planTally(tx, epoch.number);
  await tellEpoch(tx, epoch);
  return {
    epoch,
    changed: [
      ['quorum_epochs', epoch.number],
      ['quorum_state', 1],
    ],
  };
}

/** Pending proposals may be decided by the change alone. */
async function planTally(tx: Context, epoch: number): Promise<void> {
  const pending = tx.db.selectFrom('quorum_proposals').select('id').where('status', '=', 'pending').limit(1);
  if ((await pending.executeTakeFirst()) === undefined) return;
  const now = tx.clock.now();
  const job = { id: `quorum-tally/${epoch}`, kind: 'quorum-tally', payload: { epoch, after: '' } };
  await planJob(tx.db, { ...job, runAt: now, now });
}

function beginning({ config }: Context): Epoch {
  return { number: 0, mode: 'bootstrap', threshold: config.quorum.threshold, memberIds: [], innerIds: [] };
}

function epochOf({ number, mode, threshold, member_ids: members, inner_member_ids: inner }: QuorumEpochRow): Epoch {
  return {
    number,
    mode,
    threshold,
    memberIds: JSON.parse(members) as string[],
    innerIds: JSON.parse(inner) as string[],
  };
}

export async function status(ctx: Context, actor: Actor): Promise<{ status: QuorumStatus }> {
  const { number, mode, threshold, memberIds, innerIds } = await currentEpoch(ctx);
  const own = await memberOf(ctx, actor);
  return {
    status: {
      mode,
      epochNumber: number,
      memberCount: memberIds.length,
      threshold,
      innerQuorumMemberIds: [...innerIds],
      nodeId: ctx.keys.nodeId,
      ...(own !== undefined && { memberId: own.id }),
      ...(isInsider(actor, own) && {
        holdersChanged: await countHoldersChanged(ctx),
        unverifiedLinks: await unverifiedLinks(ctx),
      }),
    },
  };
}

export async function showEpoch(
  ctx: Context,
  actor: Actor,
  { number }: { number: number },
): Promise<{ epoch: QuorumEpoch }> {
  const row = await ctx.db.selectFrom('quorum_epochs').selectAll().where('number', '=', number).executeTakeFirst();
  if (row === undefined) throw new Problem('missing', 'EPOCH_NOT_FOUND', `There is no epoch ${number}.`);
  return { epoch: shown(row, await visibleIds(ctx, actor)) };
}

export async function listEpochs(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ epochs: QuorumEpoch[] } & Next> {
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('quorum_epochs').selectAll(),
    { list: 'quorum.list-epochs', memberId: actor.memberId, by: [desc('number', (row) => row.number)] },
    page,
  );
  const visible = await visibleIds(ctx, actor);
  return { epochs: rows.map((row) => shown(row, visible)), ...next };
}

/** Whom the lists of epochs name to an actor; undefined if to everybody. Only insiders are told who was removed. */
async function visibleIds(ctx: Context, actor: Actor): Promise<ReadonlySet<string> | undefined> {
  return isInsider(actor, await memberOf(ctx, actor)) ? undefined : new Set((await currentEpoch(ctx)).memberIds);
}

function shown(row: QuorumEpochRow, visible: ReadonlySet<string> | undefined): QuorumEpoch {
  const named = (ids: readonly string[]) => ids.filter((id) => visible?.has(id) ?? true);
  const { number, mode, threshold, memberIds, innerIds } = epochOf(row);
  return {
    epochNumber: number,
    memberIds: named(memberIds),
    threshold,
    mode,
    createdAt: new Date(row.created_at).toISOString(),
    previousEpochNumber: row.previous,
    innerQuorumMemberIds: named(innerIds),
    ...(row.proposal_id !== null && { proposalId: row.proposal_id }),
  };
}
