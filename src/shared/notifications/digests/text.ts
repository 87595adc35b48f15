import type { NotificationCategory } from '../../../contract/notifications/notification.ts';
import type { NotificationRow } from '../../../platform/store/tables/notifications.ts';
import { sentenceOf } from '../telling.ts';

const titles: Readonly<Record<NotificationCategory, string>> = {
  social: 'Posts',
  messages: 'Messages',
  connections: 'Connections',
  system: 'This node',
  quorum: 'Quorum',
  mail: 'E-mail',
  calendar: 'Calendar',
  files: 'Files',
};

export interface DigestText {
  readonly subject: string;
  readonly text: string;
}

/** @param rows the latest first; @param more how many are not among them */
export function digestText(rows: readonly NotificationRow[], more: number): DigestText {
  const count = rows.length + more;
  const what = count === 1 ? 'one unread notification' : `${count} unread notifications`;
  const parts = (Object.keys(titles) as NotificationCategory[]).flatMap((category) => {
    const own = rows.filter((row) => row.category === category);
    return own.length === 0 ? [] : [`${titles[category]}\n${own.map(lineOf).join('\n')}`];
  });
  const ending =
    more === 0 ? [] : [more === 1 ? 'One more is not in this message.' : `${more} more are not in this message.`];
  const foot = 'To choose what you are told, and how: conclave social notifications preferences';
  return {
    subject: `You have ${what}`,
    text: `${[`You have ${what}.`, ...parts, ...ending, foot].join('\n\n')}\n`,
  };
}

/** A line each, whatever its text has in it. */
function lineOf(row: NotificationRow): string {
  return `- ${sentenceOf(row).replaceAll(/\s+/g, ' ').trim()}`;
}
