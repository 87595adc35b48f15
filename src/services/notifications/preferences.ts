import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import { deliverHeld } from '../../shared/notifications/held.ts';
import { shownPreferences, storedPreferences } from '../../shared/notifications/preferences.ts';
import { wishesOf } from '../../shared/notifications/wishes.ts';
import { fieldProblem, fieldsProblem, Problem } from '../../base/problem.ts';
import { assertSchedule } from '../../platform/store/jobs/schedule.ts';
import type { NotificationPreferencesRow } from '../../platform/store/tables/notifications.ts';

type Changes = Partial<Omit<NotificationPreferencesRow, 'member_id' | 'updated_at'>>;

export async function showPreferences(ctx: Context, { memberId }: Actor): Promise<NotificationPreferences> {
  const row = await storedPreferences(ctx, memberId);
  if (row === undefined)
    throw new Problem(
      'missing',
      'PREFERENCES_NOT_FOUND',
      'You have stored no preferences. Everything is on until you do.',
    );
  return shownPreferences(row, ctx.clock.now());
}

type Partly<T> = { readonly [K in keyof T]?: T[K] | undefined };

export async function updatePreferences(
  ctx: Context,
  actor: Actor,
  {
    categorySettings = {},
    channelSettings = {},
    soundEnabled,
  }: {
    readonly categorySettings?: Partly<NotificationPreferences['categorySettings']> | undefined;
    readonly channelSettings?: Partly<NotificationPreferences['channelSettings']> | undefined;
    readonly soundEnabled?: boolean | undefined;
  },
): Promise<NotificationPreferences> {
  return await changed(ctx, actor, (row) => {
    const wishes = wishesOf(row);
    return {
      categories: JSON.stringify({ ...wishes.categories, ...categorySettings }),
      channels: JSON.stringify({ ...wishes.channels, ...channelSettings }),
      ...(soundEnabled !== undefined && { sound: soundEnabled ? 1 : 0 }),
    };
  });
}

interface QuietHours {
  readonly enabled: boolean;
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
  readonly timezone?: string | undefined;
}

export async function setQuietHours(ctx: Context, actor: Actor, wanted: QuietHours): Promise<NotificationPreferences> {
  const { enabled, startTime, endTime, timezone } = wanted;
  assertHours(wanted);
  return await changed(ctx, actor, () => ({
    quiet_enabled: enabled ? 1 : 0,
    ...(startTime !== undefined && { quiet_start: startTime }),
    ...(endTime !== undefined && { quiet_end: endTime }),
    ...(timezone !== undefined && { quiet_zone: timezone }),
  }));
}

function assertHours({ enabled, startTime, endTime, timezone }: QuietHours): void {
  const missing = Object.entries({ startTime, endTime, timezone }).filter(([, value]) => value === undefined);
  if (enabled && missing.length > 0)
    throw fieldsProblem(missing.map(([path]) => ({ path, message: 'is needed to enable quiet hours' })));
  if (startTime !== undefined && startTime === endTime)
    throw fieldProblem('endTime', 'must not be the time at which they start');
  if (timezone !== undefined && !isTimeZone(timezone))
    throw fieldProblem('timezone', 'must be an IANA time zone, such as Europe/Berlin');
}

function isTimeZone(timeZone: string): boolean {
  try {
    assertSchedule({ at: '00:00', timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export async function setDoNotDisturb(
  ctx: Context,
  actor: Actor,
  { enabled, expiresAt }: { readonly enabled: boolean; readonly expiresAt?: string | null | undefined },
): Promise<NotificationPreferences> {
  const until = enabled && expiresAt != null ? Date.parse(expiresAt) : null;
  if (until !== null && !(until > ctx.clock.now())) throw fieldProblem('expiresAt', 'must be in the future');
  return await changed(ctx, actor, () => ({ dnd_enabled: enabled ? 1 : 0, dnd_until: until }));
}

/** What nobody has chosen. */
const initial = {
  categories: '{}',
  channels: '{}',
  quiet_enabled: 0,
  quiet_start: '22:00',
  quiet_end: '07:00',
  quiet_zone: 'UTC',
  dnd_enabled: 0,
  dnd_until: null,
  sound: 1,
};

/** Stores a change, and delivers what waits if it waits for nothing any more. */
async function changed(
  ctx: Context,
  { memberId }: Actor,
  change: (row: NotificationPreferencesRow | undefined) => Changes,
): Promise<NotificationPreferences> {
  return await transaction(ctx, async (tx) => {
    const before = await storedPreferences(tx, memberId);
    const now = tx.clock.now();
    const row = { ...initial, ...before, ...change(before), member_id: memberId, updated_at: now };
    const { member_id: _, ...columns } = row;
    await tx.db
      .insertInto('notification_preferences')
      .values(row)
      .onConflict((conflict) => conflict.column('member_id').doUpdateSet(columns))
      .execute();
    await deliverHeld(tx, memberId);
    return shownPreferences(row, now);
  });
}
