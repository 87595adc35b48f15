import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { CanaryAction, CanaryBinding } from '../../../contract/filevault/canaries.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';
import { performStep, stepsOf, stepText, type Step } from './actions.ts';
import { ownCanary } from './own.ts';
import { shownTimes } from './shown.ts';
import { signedInAt } from './times.ts';

/** Ends the transaction of a step that was only tried. */
class Tried extends Error {}

interface TriedStep {
  readonly step: string;
  readonly allowed: boolean;
  readonly refusal?: string;
}

export async function dryRun(
  ctx: Context,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<{ steps: TriedStep[] } & Pick<CanaryBinding, 'warnsAt' | 'firesAt'>> {
  const row = await ownCanary(ctx, actor, id);
  const steps: TriedStep[] = [];
  for (const step of stepsOf(JSON.parse(row.actions) as CanaryAction[])) {
    const refusal = await refusalOf(ctx, row, step);
    steps.push({ step: stepText(step), allowed: refusal === undefined, ...(refusal && { refusal: refusal.code }) });
  }
  const { warnsAt, firesAt } = shownTimes(row, await signedInAt(ctx, row.owner_id));
  return { steps, ...(warnsAt !== undefined && { warnsAt }), ...(firesAt !== undefined && { firesAt }) };
}

/** Does a step as it would be done, in a transaction that is given up. @returns why it would be refused */
export async function refusalOf(ctx: Context, row: FileCanaryRow, step: Step): Promise<Problem | undefined> {
  try {
    await transaction(ctx, async (tx) => {
      await performStep(tx, row, step);
      throw new Tried();
    });
  } catch (error) {
    if (error instanceof Problem && error.kind !== 'internal' && error.kind !== 'unavailable') return error;
    if (!(error instanceof Tried)) throw error;
  }
  return undefined;
}
