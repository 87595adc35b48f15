import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { FileCanaryRow, FileCanaryStepRow } from '../../../platform/store/tables/file-workflow.ts';
import { finishDestructions } from '../destruction/destroy.ts';
import { performStep, type Step } from './actions.ts';

interface Firing {
  readonly id: string;
  readonly firing: number;
}

/**
 * Does the steps of a canary that went off, one after another. The effect of a step and the mark that it is done are one transaction: a
 * process that is killed has done a step or not, and nothing is done twice.
 */
export function stepsHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const firing = payload as Firing;
    while (!signal.aborted) {
      const next = await nextStep(ctx, firing);
      if (next === undefined) return;
      await doStep(ctx, next.canary, next.step);
    }
    // The next process goes on.
    signal.throwIfAborted();
  };
}

async function nextStep(
  { db }: Pick<Context, 'db'>,
  { id, firing }: Firing,
): Promise<{ readonly canary: FileCanaryRow; readonly step: FileCanaryStepRow } | undefined> {
  const canary = await db.selectFrom('file_canaries').selectAll().where('id', '=', id).executeTakeFirst();
  const step = await db
    .selectFrom('file_canary_steps')
    .selectAll()
    .where('canary_id', '=', id)
    .where('firing', '=', firing)
    .where('done_at', 'is', null)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst();
  return canary === undefined || step === undefined ? undefined : { canary, step };
}

async function doStep(ctx: Context, canary: FileCanaryRow, row: FileCanaryStepRow): Promise<void> {
  try {
    const begun = await transaction(ctx, async (tx) =>
      (await take(tx, row, 'done')) ? await performStep(tx, canary, JSON.parse(row.step) as Step) : undefined,
    );
    if (begun === undefined) return;
    const who = { memberId: canary.owner_id, address: canary.address };
    await finishDestructions(ctx, who, [begun]);
  } catch (error) {
    // Who lost the right, or a decision that is missing, is no reason to try again.
    if (!(error instanceof Problem) || error.kind === 'internal' || error.kind === 'unavailable') throw error;
    ctx.log.warn('a step of a canary was refused', { canary: canary.id, place: row.place, code: error.code });
    await transaction(ctx, async (tx) => await take(tx, row, error.code));
  }
}

/** @returns whether nobody else has done it */
async function take(tx: Context, row: FileCanaryStepRow, outcome: string): Promise<boolean> {
  const taken = await tx.db
    .updateTable('file_canary_steps')
    .set({ outcome, done_at: tx.clock.now() })
    .where('canary_id', '=', row.canary_id)
    .where('firing', '=', row.firing)
    .where('place', '=', row.place)
    .where('done_at', 'is', null)
    .returning('place')
    .executeTakeFirst();
  return taken !== undefined;
}
