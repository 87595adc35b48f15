import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { notifications } from '../../contract/notifications.ts';
import { categories, type NotificationCategory } from '../../contract/notifications/notification.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import { timeFrom } from '../../base/iso-time.ts';
import { Problem } from '../../base/problem.ts';
import { durationOf } from '../mail/send-time.ts';

const channels = ['in_app', 'email', 'push'] as const;
type CategorySettings = NotificationPreferences['categorySettings'];

export const preferenceFlags = {
  list: Flags.boolean({ description: 'show notifications in the list', allowNo: true }),
  email: Flags.boolean({ description: 'get digests of unread notifications by e-mail', allowNo: true }),
  push: Flags.boolean({ description: 'get push messages in subscribed browsers', allowNo: true }),
  sound: Flags.boolean({ description: 'let programs make a sound', allowNo: true }),
  category: Flags.string({
    description: `channels of a category, such as social=in_app,push or files=off; categories: ${categories.join(', ')}; repeat for more`,
    helpValue: 'NAME=CHANNELS',
    multiple: true,
    multipleNonGreedy: true,
  }),
  quiet: Flags.string({
    description: 'hours of each day in which notifications wait, such as 22:00-07:00, or off',
    helpValue: 'HOURS',
  }),
  zone: Flags.string({
    description: 'IANA time zone of the quiet hours; that of this machine if left out',
    helpValue: 'ZONE',
    dependsOn: ['quiet'],
  }),
  dnd: Flags.string({
    description: 'Do Not Disturb: on, off, or when it ends, such as 8h or 2027-01-31T08:00:00Z',
    helpValue: 'WHEN',
  }),
};

export interface ChosenPreferences {
  readonly list?: boolean;
  readonly email?: boolean;
  readonly push?: boolean;
  readonly sound?: boolean;
  readonly category?: readonly string[] | undefined;
  readonly quiet?: string | undefined;
  readonly zone?: string | undefined;
  readonly dnd?: string | undefined;
}

/** Stores what was chosen. What is wrong is refused before anything is stored. @returns undefined if nothing was chosen */
export async function storePreferences(
  client: Client,
  { list, email, push, sound, category, quiet, zone, dnd }: ChosenPreferences,
): Promise<NotificationPreferences | undefined> {
  const channelSettings = given({ in_app: list, email, push });
  const categorySettings = settingsOf(category ?? []);
  const hours = quiet === undefined ? undefined : hoursOf(quiet, zone);
  const rest = dnd === undefined ? undefined : restOf(dnd);
  let stored: NotificationPreferences | undefined;
  const parts = [...Object.keys(channelSettings), ...Object.keys(categorySettings)];
  if (parts.length > 0 || sound !== undefined)
    stored = await perform(client, notifications.updatePreferences, {
      channelSettings,
      categorySettings,
      ...(sound !== undefined && { soundEnabled: sound }),
    });
  if (hours !== undefined) stored = await perform(client, notifications.setQuietHours, hours);
  if (rest !== undefined) stored = await perform(client, notifications.setDoNotDisturb, rest);
  return stored;
}

/** @returns undefined for somebody who has stored none */
export async function storedPreferences(client: Client): Promise<NotificationPreferences | undefined> {
  try {
    return await perform(client, notifications.showPreferences, {});
  } catch (error) {
    if (error instanceof Problem && error.code === 'PREFERENCES_NOT_FOUND') return undefined;
    throw error;
  }
}

function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function settingsOf(texts: readonly string[]): Partial<CategorySettings> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', value = '', ...more] = text.split('=');
      const names = value === 'off' ? [] : value.split(',');
      const known = names.filter((one) => channels.some((channel) => channel === one)) as (typeof channels)[number][];
      if (!categories.some((one) => one === name) || more.length > 0 || known.length !== names.length)
        throw usage(
          `--category ${text}: write it as NAME=CHANNELS, with a category of ${categories.join(', ')} and channels of ${channels.join(', ')}, or off.`,
        );
      return [name as NotificationCategory, { enabled: names.length > 0, channels: known }];
    }),
  );
}

function hoursOf(text: string, zone: string | undefined) {
  if (text === 'off') return { enabled: false };
  const [, startTime, endTime] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (startTime === undefined || endTime === undefined)
    throw usage(`--quiet ${text}: write hours such as 22:00-07:00, or off.`);
  const timezone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { enabled: true, startTime, endTime, timezone };
}

function restOf(text: string) {
  if (text === 'on' || text === 'off') return { enabled: text === 'on' };
  const duration = durationOf(text);
  const at = duration === undefined ? timeFrom(text) : Date.now() + duration;
  if (at === undefined) throw usage(`--dnd ${text}: write on, off, 8h, or a time such as 2027-01-31T08:00:00Z.`);
  return { enabled: true, expiresAt: new Date(at).toISOString() };
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
