import type { Notification } from '../../contract/notifications/notification.ts';
import type { NotificationPreferences } from '../../contract/notifications/preferences.ts';
import { escapedJson, escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { idColumn } from '../mail/mail-columns.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details, table, type Column } from '../kit/table.ts';

/** The id of a notification, as answers have it. */
export function idOf({ _id: id }: Pick<Notification, '_id'>): string {
  return id;
}

/** What a notification says, with how many others are behind it. */
export function sentenceOf({ content, actorCount = 1 }: Notification): string {
  if (actorCount < 2) return content;
  return `${content} (and ${actorCount === 2 ? 'one other' : `${actorCount - 1} others`})`;
}

export function notificationTable(screen: Screen, rows: readonly Notification[]): string {
  const shown = rows.map((row) => ({ ...row, id: idOf(row) }));
  const columns: Column<(typeof shown)[number]>[] = [
    idColumn(shown),
    {
      title: 'NEW',
      whole: true,
      of: ({ isRead }, { width }) => (isRead ? '' : Number.isFinite(width) ? '*' : 'unread'),
    },
    { title: 'DATE', spare: true, of: ({ updatedAt }, one) => moment(one, updatedAt) },
    { title: 'TYPE', spare: true, of: ({ type }) => type },
    { title: 'TEXT', main: true, of: sentenceOf },
  ];
  return table(screen, shown, columns);
}

/** A line for programs and people who watch. */
export function notificationLine(notification: Notification, json: boolean): string {
  if (json) return escapedJson(notification, 0);
  return [idOf(notification), notification.type, sentenceOf(notification)].map(escapeForTerminal).join('\t');
}

export function preferencesText(screen: Screen, preferences: NotificationPreferences): string {
  const { categorySettings, channelSettings, quietHours, dndConfig, soundEnabled } = preferences;
  const onOff = (value: boolean): string => (value ? 'on' : 'off');
  const categories = Object.entries(categorySettings).map(
    ([name, { enabled, channels }]) =>
      [`Category ${name}`, enabled && channels.length > 0 ? channels.join(', ') : 'off'] as const,
  );
  const { enabled, startTime, endTime, timezone } = quietHours;
  const until = dndConfig.expiresAt === null ? 'on' : `until ${moment(screen, dndConfig.expiresAt)}`;
  return details(screen, [
    ['List', onOff(channelSettings.in_app)],
    ['E-mail', onOff(channelSettings.email)],
    ['Push', onOff(channelSettings.push)],
    ...categories,
    ['Quiet hours', enabled ? `${startTime} to ${endTime} (${timezone})` : 'off'],
    ['Do Not Disturb', dndConfig.enabled ? until : 'off'],
    ['Sound', onOff(soundEnabled)],
  ]);
}
