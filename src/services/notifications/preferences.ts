import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import { changePreferences } from '../../shared/notifications/change-preferences.ts';
import { shownPreferences, storedPreferences } from '../../shared/notifications/preferences.ts';
import { wishesOf } from '../../shared/notifications/wishes.ts';
import { timeZoneNamed } from '../../base/time-zone.ts';
import { fieldProblem, fieldsProblem, Problem } from '../../base/problem.ts';
import { touchPresence } from '../../shared/presence/board.ts';

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
  return await changePreferences(ctx, actor, (row) => {
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
  return await changePreferences(ctx, actor, () => ({
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
  if (timezone !== undefined && timeZoneNamed(timezone) === undefined)
    throw fieldProblem('timezone', 'must be an IANA time zone, such as Europe/Berlin');
}

export async function setDoNotDisturb(
  ctx: Context,
  actor: Actor,
  { enabled, expiresAt }: { readonly enabled: boolean; readonly expiresAt?: string | null | undefined },
): Promise<NotificationPreferences> {
  const until = enabled && expiresAt != null ? Date.parse(expiresAt) : null;
  if (until !== null && !(until > ctx.clock.now())) throw fieldProblem('expiresAt', 'must be in the future');
  return await transaction(ctx, async (tx) => {
    const shown = await changePreferences(tx, actor, () => ({ dnd_enabled: enabled ? 1 : 0, dnd_until: until }));
    touchPresence(tx, actor.memberId);
    return shown;
  });
}
