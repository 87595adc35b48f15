import type { Appointment, AppointmentType, BookingPage } from '../../contract/calendar/booking-fields.ts';
import { counted } from '../kit/counted.ts';
import { moment, type Screen } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';

export const pageColumns: readonly Column<BookingPage>[] = [
  { title: 'Page', of: ({ slug }) => slug, whole: true },
  { title: 'Title', of: ({ title }) => title, main: true },
  { title: 'Appointments', of: ({ appointmentTypes: types }) => types.map(({ name }) => name).join(', ') },
  { title: 'Note', of: ({ active }) => (active ? '' : 'off') },
  { title: 'Address', of: ({ url }) => url, whole: true, spare: true },
];

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The facts of a page, for `details`. */
export function pageFacts(page: BookingPage): [string, string][] {
  const { maxPerDay, minNoticeMinutes: notice, maxAdvanceDays: ahead } = page;
  return [
    ['Page', page.slug],
    ['Address', page.url],
    ['Title', page.title],
    ...(page.description === '' ? [] : [['Description', page.description] as [string, string]]),
    ['Zone', page.timezone],
    ['Open', page.active ? 'yes' : 'no'],
    ['Notice', counted(notice, 'minute')],
    ['Ahead', counted(ahead, 'day')],
    ...(maxPerDay === undefined ? [] : [['A day at most', String(maxPerDay)] as [string, string]]),
    ...page.appointmentTypes.map((type): [string, string] => [type.name, kindText(type)]),
  ];
}

function kindText(type: AppointmentType): string {
  const hours = type.availableWindows.map(
    ({ dayOfWeek, startTime, endTime }) => `${days[dayOfWeek] ?? ''} ${startTime}-${endTime}`,
  );
  return [
    counted(type.durationMinutes, 'minute'),
    ...bufferText(type),
    ...(type.seats > 1 ? [counted(type.seats, 'seat')] : []),
    ...(type.requiresConfirmation ? ['you confirm it'] : []),
    ...(type.active ? [] : ['off']),
    ...hours,
  ].join(', ');
}

function bufferText({ bufferBeforeMinutes: before, bufferAfterMinutes: after }: AppointmentType): string[] {
  return before === 0 && after === 0
    ? []
    : [`free ${counted(before, 'minute')} before and ${counted(after, 'minute')} after`];
}

export const appointmentColumns: readonly Column<Appointment>[] = [
  { title: 'When', of: ({ startTime }, screen) => moment(screen, startTime), whole: true },
  { title: 'Guest', of: ({ bookerName }) => bookerName, main: true },
  { title: 'What', of: ({ appointmentType }) => appointmentType },
  { title: 'State', of: stateOf },
  { title: 'E-mail', of: ({ bookerEmail }) => bookerEmail, spare: true },
  { title: 'Id', of: ({ id }) => id, whole: true, spare: true },
];

function stateOf({ status, conflict }: Appointment): string {
  const words = status === 'pending' ? 'waits for you' : status;
  return conflict === true ? `${words}, an event collides` : words;
}

/** An appointment in one line. */
export function appointmentText(screen: Screen, { bookerName, appointmentType, startTime }: Appointment): string {
  return `${appointmentType} with ${bookerName}, ${moment(screen, startTime)}`;
}
