import type { Context } from '../../../context.ts';
import type { FileCanaryRow } from '../../../store/tables/file-workflow.ts';

const HOUR_MS = 3_600_000;
/** Of the warning, unless the whole time is shorter than two of them. */
const WARNING_HOURS = 24;

export function usualWarning(hours: number): number {
  return Math.max(1, Math.min(WARNING_HOURS, Math.floor(hours / 2)));
}

/** When a canary of absence warns and goes off, in milliseconds since 1970. */
export interface Times {
  readonly seenAt: number;
  readonly warnsAt: number;
  readonly firesAt: number;
  /** whether the owner was warned since they were last seen */
  readonly warned: boolean;
}

/** The last sign of life is a check-in or a sign-in. Whoever was warned late has the whole time of the warning still. */
export async function timesOf({ db }: Pick<Context, 'db'>, row: FileCanaryRow): Promise<Times> {
  const member = await db
    .selectFrom('members')
    .select('last_login_at')
    .where('id', '=', row.owner_id)
    .executeTakeFirst();
  const seenAt = Math.max(row.seen_at, member?.last_login_at ?? 0);
  const warnMs = (row.warn_hours ?? 0) * HOUR_MS;
  const due = seenAt + (row.hours ?? 0) * HOUR_MS;
  const warned = row.warned_at !== null && row.warned_at > seenAt;
  const firesAt = warned ? Math.max(due, (row.warned_at ?? 0) + warnMs) : due;
  return { seenAt, warnsAt: due - warnMs, firesAt, warned };
}
