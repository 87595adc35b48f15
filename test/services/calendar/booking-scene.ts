import { appointments } from '../../../src/contract/calendar/appointments.ts';
import { booking } from '../../../src/contract/calendar/booking.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import { notificationInbox } from '../../../src/contract/notifications/inbox.ts';
import type { Notification } from '../../../src/contract/notifications/notification.ts';
import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import type { ApiAnswer } from '../../support/house.ts';
import type { CalendarScene } from './calendar-scene.ts';

/** The house begins on Thursday, 15 January 2026, 12:00 UTC. */
export const monday = '2026-01-19';
export const at = (time: string, day = monday): string => `${day}T${time}:00.000Z`;

type NewPage = RawInputOf<typeof booking.createBookingPage>;
type Type = NewPage['appointmentTypes'][number];
type Booking = RawInputOf<typeof booking.bookAppointment>;
type Booked = ReplyOf<typeof booking.bookAppointment>;

const weekdays = [1, 2, 3, 4, 5].map((dayOfWeek) => ({ dayOfWeek, startTime: '09:00', endTime: '12:00' }));

export function aType(more: Partial<Type> = {}): Type {
  return { name: 'Talk', durationMinutes: 60, availableWindows: weekdays, ...more };
}

export async function pageOf(
  scene: CalendarScene,
  who: HouseMember,
  type: Partial<Type> = {},
  more: Partial<NewPage> = {},
): Promise<ReplyOf<typeof booking.createBookingPage>['page']> {
  const page = { slug: `${who.username}-talks`, title: 'Talk to me', timezone: 'UTC', appointmentTypes: [aType(type)] };
  return (await scene.done(booking.createBookingPage, who, { ...page, ...more })).page;
}

let guests = 0;

/** A booking of somebody who has booked nothing before. */
export function wanted(slug: string, time: string, more: Partial<Booking> = {}): Booking {
  guests += 1;
  const guest = { bookerName: `Guest ${guests}`, bookerEmail: `guest${guests}@else.example` };
  return { slug, appointmentType: 'Talk', startTime: time, ...guest, ...more };
}

/** Without a token. */
export async function asGuest<O extends JsonOperation>(
  { house }: Pick<CalendarScene, 'house'>,
  operation: O,
  input: RawInputOf<O>,
): Promise<ApiAnswer> {
  return await house.perform(operation, input);
}

export async function book(
  scene: CalendarScene,
  slug: string,
  time: string,
  more: Partial<Booking> = {},
): Promise<Booked> {
  const answer = await asGuest(scene, booking.bookAppointment, wanted(slug, time, more));
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Booked;
}

/** What a refused booking answers. */
export async function refusal(
  scene: CalendarScene,
  slug: string,
  time: string,
  more: Partial<Booking> = {},
): Promise<string> {
  return codeOf(await asGuest(scene, booking.bookAppointment, wanted(slug, time, more)));
}

export function codeOf({ status, body }: ApiAnswer): string {
  return `${status} ${body.error?.code}`;
}

/** Begins of the free times of a day. */
export async function freeOn(scene: CalendarScene, slug: string, day = monday, type = 'Talk'): Promise<string[]> {
  const answer = await asGuest(scene, booking.listSlots, { slug, appointmentType: type, date: day, days: 1 });
  if (answer.status !== 200) throw new Error(codeOf(answer));
  return (answer.body as ReplyOf<typeof booking.listSlots>).slots.map(({ start }) => start.slice(11, 16));
}

export async function addEvent(
  scene: CalendarScene,
  who: HouseMember,
  start: string,
  end: string,
  more: Partial<RawInputOf<typeof events.createEvent>> = {},
): Promise<ReplyOf<typeof events.createEvent>['event']> {
  const given = { summary: 'Busy', dtstart: start, dtend: end, dtstartTzid: 'UTC', ...more };
  return (await scene.done(events.createEvent, who, given)).event;
}

/** Titles, times and states of what is in the calendars of a member on a day. */
export async function eventsOn(scene: CalendarScene, who: HouseMember, day = monday): Promise<string[]> {
  const range = { start: `${day}T00:00:00Z`, end: `${day}T23:59:00Z` };
  const found = await scene.done(events.listEvents, who, range);
  return found.events.map(({ summary, start, status }) => `${start.slice(11, 16)} ${summary} ${status}`);
}

export async function appointmentsOf(scene: CalendarScene, who: HouseMember) {
  return (await scene.done(appointments.listAppointments, who, { start: '2026-01-01', end: '2026-12-31' }))
    .appointments;
}

/** What a member was notified of. */
export async function noticesOf({ house }: Pick<CalendarScene, 'house'>, who: HouseMember): Promise<Notification[]> {
  const { body } = await house.perform(notificationInbox.list, {}, who.token);
  return body.data.notifications as Notification[];
}
