import type { Context } from '../../../service/context.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';

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

export async function timesOf(ctx: Pick<Context, 'db'>, row: FileCanaryRow): Promise<Times> {
  return timesSince(row, await signedInAt(ctx, row.owner_id));
}

/** When a member signed in last, in milliseconds since 1970; 0: never. */
export async function signedInAt({ db }: Pick<Context, 'db'>, memberId: string): Promise<number> {
  const member = await db.selectFrom('members').select('last_login_at').where('id', '=', memberId).executeTakeFirst();
  return member?.last_login_at ?? 0;
}

/** The last sign of life is a check-in or a sign-in. Whoever was warned late has the whole time of the warning still. */
export function timesSince(row: FileCanaryRow, signedIn: number): Times {
  const seenAt = Math.max(row.seen_at, signedIn);
  const warnMs = (row.warn_hours ?? 0) * HOUR_MS;
  const due = seenAt + (row.hours ?? 0) * HOUR_MS;
  const warned = row.warned_at !== null && row.warned_at > seenAt;
  const firesAt = warned ? Math.max(due, (row.warned_at ?? 0) + warnMs) : due;
  return { seenAt, warnsAt: due - warnMs, firesAt, warned };
}
