import type { Context } from '../../../context.ts';
import type { CanaryAction, CanaryBinding } from '../../../contract/filevault/canaries.ts';
import type { FileCanaryRow } from '../../../store/tables/file-workflow.ts';
import { stepText, type Step } from './actions.ts';
import { timesOf } from './times.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** Of duress nothing tells whether the code was used, because whoever forces the owner may look. */
export async function shownCanary(ctx: Context, row: FileCanaryRow): Promise<CanaryBinding> {
  const isDuress = row.condition === 'DURESS';
  const fired = row.state === 'fired' && !isDuress;
  return {
    id: row.id,
    name: row.name,
    condition: row.condition,
    ...(row.hours !== null && { hours: row.hours }),
    ...(row.warn_hours !== null && { warnHours: row.warn_hours }),
    ...(row.condition === 'PRESENCE' && { fileIds: await filesOf(ctx, row.id) }),
    actions: JSON.parse(row.actions) as CanaryAction[],
    state: row.state === 'fired' && isDuress ? 'armed' : row.state,
    ...(await shownTimes(ctx, row)),
    ...(fired && row.fired_at !== null && { firedAt: iso(row.fired_at), outcomes: await outcomesOf(ctx, row) }),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

export async function shownTimes(
  ctx: Context,
  row: FileCanaryRow,
): Promise<Pick<CanaryBinding, 'lastCheckInAt' | 'warnsAt' | 'firesAt'>> {
  if (row.condition !== 'ABSENCE') return {};
  const { seenAt, warnsAt, firesAt } = await timesOf(ctx, row);
  return {
    lastCheckInAt: iso(seenAt),
    ...(row.state === 'armed' && { warnsAt: iso(warnsAt), firesAt: iso(firesAt) }),
  };
}

async function filesOf({ db }: Context, canaryId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('file_canary_files')
    .select('file_id')
    .where('canary_id', '=', canaryId)
    .orderBy('file_id')
    .execute();
  return rows.map(({ file_id }) => file_id);
}

async function outcomesOf({ db }: Context, { id, firing }: FileCanaryRow): Promise<CanaryBinding['outcomes']> {
  const rows = await db
    .selectFrom('file_canary_steps')
    .select(['step', 'outcome'])
    .where('canary_id', '=', id)
    .where('firing', '=', firing)
    .orderBy('place')
    .execute();
  return rows.map(({ step, outcome }) => ({ step: stepText(JSON.parse(step) as Step), outcome }));
}
