import type { Context } from '../../../service/context.ts';
import type { CanaryAction, CanaryBinding } from '../../../contract/filevault/canaries.ts';
import type {
  FileCanaryFileRow,
  FileCanaryRow,
  FileCanaryStepRow,
} from '../../../platform/store/tables/file-workflow.ts';
import { stepText, type Step } from './actions.ts';
import { signedInAt, timesSince } from './times.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** What is known of canaries beside their rows. */
interface Beside {
  readonly signedIn: number;
  readonly files: readonly FileCanaryFileRow[];
  readonly steps: readonly FileCanaryStepRow[];
}

export async function shownCanary(ctx: Context, row: FileCanaryRow): Promise<CanaryBinding> {
  return described(row, await besideOf(ctx, row.owner_id, [row]));
}

/** @param rows all of one owner */
export async function shownCanaries(
  ctx: Context,
  ownerId: string,
  rows: readonly FileCanaryRow[],
): Promise<CanaryBinding[]> {
  const beside = await besideOf(ctx, ownerId, rows);
  return rows.map((row) => described(row, beside));
}

async function besideOf(ctx: Context, ownerId: string, rows: readonly FileCanaryRow[]): Promise<Beside> {
  const ids = rows.map(({ id }) => id);
  const signedIn = await signedInAt(ctx, ownerId);
  if (ids.length === 0) return { signedIn, files: [], steps: [] };
  const files = await ctx.db
    .selectFrom('file_canary_files')
    .selectAll()
    .where('canary_id', 'in', ids)
    .orderBy('file_id')
    .execute();
  const steps = await ctx.db
    .selectFrom('file_canary_steps')
    .selectAll()
    .where('canary_id', 'in', ids)
    .orderBy('place')
    .execute();
  return { signedIn, files, steps };
}

/** Of duress nothing tells whether the code was used, because whoever forces the owner may look. */
function described(row: FileCanaryRow, { signedIn, files, steps }: Beside): CanaryBinding {
  const isDuress = row.condition === 'DURESS';
  const isFired = row.state === 'fired' && !isDuress;
  const own = steps.filter(({ canary_id: id, firing }) => id === row.id && firing === row.firing);
  return {
    id: row.id,
    name: row.name,
    condition: row.condition,
    ...(row.hours !== null && { hours: row.hours }),
    ...(row.warn_hours !== null && { warnHours: row.warn_hours }),
    ...(row.condition === 'PRESENCE' && {
      fileIds: files.filter(({ canary_id: id }) => id === row.id).map(({ file_id: id }) => id),
    }),
    actions: JSON.parse(row.actions) as CanaryAction[],
    state: row.state === 'fired' && isDuress ? 'armed' : row.state,
    ...shownTimes(row, signedIn),
    ...(isFired &&
      row.fired_at !== null && {
        firedAt: iso(row.fired_at),
        outcomes: own.map(({ step, outcome }) => ({ step: stepText(JSON.parse(step) as Step), outcome })),
      }),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** @param signedIn when the owner signed in last */
export function shownTimes(
  row: FileCanaryRow,
  signedIn: number,
): Pick<CanaryBinding, 'lastCheckInAt' | 'warnsAt' | 'firesAt'> {
  if (row.condition !== 'ABSENCE') return {};
  const { seenAt, warnsAt, firesAt } = timesSince(row, signedIn);
  return {
    lastCheckInAt: iso(seenAt),
    ...(row.state === 'armed' && { warnsAt: iso(warnsAt), firesAt: iso(firesAt) }),
  };
}
