import type { Calendar } from '../../contract/calendar/calendars.ts';
import { counted } from '../kit/counted.ts';
import { moment, type Screen } from '../kit/screen.ts';
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

function noteOf(one: Calendar): string {
  const { isDefault, shareCount, isSubscription, subscriptionStatus } = one;
  const notes = [
    ...(isDefault ? ['default'] : []),
    ...(isSubscription ? ['from elsewhere'] : []),
    ...(subscriptionStatus === undefined || subscriptionStatus.state === 'current'
      ? []
      : [stateOf(subscriptionStatus)]),
    ...(shareCount > 0 ? [`shared with ${counted(shareCount, 'member')}`] : []),
  ];
  return notes.join(', ');
}

type Status = NonNullable<Calendar['subscriptionStatus']>;

function stateOf({ state, error }: Status): string {
  if (state === 'pending') return 'not read until now';
  if (state === 'off') return 'not read: this node does not fetch calendars from elsewhere';
  return error === undefined ? 'read' : error.message;
}

function subscriptionFacts(screen: Screen, one: Calendar): [string, string][] {
  const { subscriptionUrl: url, subscriptionRefreshInterval: every, subscriptionStatus: status } = one;
  if (status === undefined) return [];
  return [
    ...(url === undefined ? [] : [['Address', url] as [string, string]]),
    ...(every === undefined ? [] : [['Read every', every] as [string, string]]),
    ['State', stateOf(status)],
    ...(status.fetchedAt === undefined ? [] : [['Last read', moment(screen, status.fetchedAt)] as [string, string]]),
    ['Next time', moment(screen, status.nextAt)],
    ...(status.leftOut === 0 ? [] : [['Left out', counted(status.leftOut, 'event')] as [string, string]]),
  ];
}

/** The facts of a calendar, for `details`. */
export function calendarFacts(screen: Screen, one: Calendar): [string, string][] {
  return [
    ['Name', one.displayName],
    ['Id', one.id],
    ['You may', rights[one.permission]],
    ['Color', one.color],
    ['Zone', one.timezone],
    ...(one.description === '' ? [] : [['Description', one.description] as [string, string]]),
    ['Default', one.isDefault ? 'yes' : 'no'],
    ...subscriptionFacts(screen, one),
    ...(one.permission === 'owner' ? [['Shared with', counted(one.shareCount, 'member')] as [string, string]] : []),
  ];
}
