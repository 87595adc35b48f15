import type { Calendar } from '../../contract/calendar/calendars.ts';
import { counted } from '../kit/counted.ts';
import type { Column } from '../kit/table.ts';

export const rights: Readonly<Record<Calendar['permission'], string>> = {
  owner: 'yours',
  editor: 'change events',
  viewer: 'read',
  freebusy: 'free and busy only',
};

export const calendarColumns: readonly Column<Calendar>[] = [
  { title: 'Name', of: ({ displayName }) => displayName, main: true },
  { title: 'You may', of: ({ permission }) => rights[permission] },
  { title: 'Zone', of: ({ timezone }) => timezone, spare: true },
  { title: 'Note', of: noteOf },
  { title: 'Id', of: ({ id }) => id, whole: true, spare: true },
];

function noteOf({ isDefault, shareCount }: Calendar): string {
  const notes = [
    ...(isDefault ? ['default'] : []),
    ...(shareCount > 0 ? [`shared with ${counted(shareCount, 'member')}`] : []),
  ];
  return notes.join(', ');
}

/** The facts of a calendar, for `details`. */
export function calendarFacts(one: Calendar): [string, string][] {
  return [
    ['Name', one.displayName],
    ['Id', one.id],
    ['You may', rights[one.permission]],
    ['Color', one.color],
    ['Zone', one.timezone],
    ...(one.description === '' ? [] : [['Description', one.description] as [string, string]]),
    ['Default', one.isDefault ? 'yes' : 'no'],
    ...(one.permission === 'owner' ? [['Shared with', counted(one.shareCount, 'member')] as [string, string]] : []),
  ];
}
