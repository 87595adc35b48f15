import * as v from 'valibot';
import { operation } from '../operation.ts';
import { atMost, hex, integer, line, moment } from '../text.ts';
import {
  appointment,
  bookingPage,
  day,
  guestFields,
  pageChanges,
  pageFields,
  publicPage,
  slot,
  slug,
} from './booking-fields.ts';
import { calendarRoot, rangeTime, zoneName } from './fields.ts';
import { bookingLimits, deliveries } from './limits.ts';

const root = `${calendarRoot}/booking/pages`;
const one = `${root}/:slug`;
// Without a scope: an app password opens no calendar to the public.
const own = { envelope: 'calendar', auth: 'member' } as const;
const open = { envelope: 'calendar', auth: 'none' } as const;

const bySlug = {
  slug: v.pipe(
    atMost(64),
    v.regex(/^[a-zA-Z0-9-]+$/, 'must be letters, digits and hyphens'),
    v.examples(['ada-talks']),
    v.toLowerCase(),
  ),
};
const onePage = v.object({ page: bookingPage });
const ofType = v.pipe(line(255), v.description('name or id of the kind of appointment'));
const inZone = v.optional(v.pipe(zoneName, v.description('default: the zone of the page')));

/** Pages on which guests book appointments, prefix `/api/cal/booking/pages`. */
export const booking = {
  createBookingPage: operation({
    ...own,
    id: 'calendar.create-page',
    method: 'POST',
    path: root,
    summary: 'Create a booking page',
    description: `Everybody who knows its address can book appointments with you at times when your calendars are free. A member has at most ${bookingLimits.pages}. The address of a page that was deleted is free again after 90 days.`,
    input: v.object({ slug, ...pageFields }),
    reply: onePage,
    status: 201,
    message: 'Booking page created',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SLUG_TAKEN', 'PAGES_FULL'],
    limit: { name: 'calendarSharing' },
  }),
  listBookingPages: operation({
    ...own,
    id: 'calendar.pages',
    method: 'GET',
    path: root,
    summary: 'List your booking pages',
    description: 'Also those that are switched off. What was deleted is not among them.',
    input: v.object({}),
    reply: v.object({ pages: v.array(bookingPage) }),
    status: 200,
    message: 'Booking pages',
    errors: [],
  }),
  showPageSettings: operation({
    ...own,
    id: 'calendar.page-settings',
    method: 'GET',
    path: `${one}/settings`,
    summary: 'Show a booking page of yours',
    description: 'With all that guests do not see: its calendars, caps, and kinds that are switched off.',
    input: v.object(bySlug),
    reply: onePage,
    status: 200,
    message: 'Booking page',
    errors: ['NOT_FOUND'],
  }),
  updateBookingPage: operation({
    ...own,
    id: 'calendar.update-page',
    method: 'PATCH',
    path: one,
    summary: 'Change a booking page',
    description:
      'What is left out stays. `appointmentTypes` replaces all of them: kinds with the `id` of one that is there change it. Appointments that were booked stay.',
    input: v.object({ ...bySlug, ...pageChanges }),
    reply: onePage,
    status: 200,
    message: 'Booking page changed',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    limit: { name: 'calendarSharing' },
  }),
  deleteBookingPage: operation({
    ...own,
    id: 'calendar.delete-page',
    method: 'DELETE',
    path: one,
    summary: 'Delete a booking page',
    description: 'Appointments that were booked stay. Their guests can still cancel them, and not move them.',
    input: v.object(bySlug),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Booking page deleted',
    errors: ['NOT_FOUND'],
    limit: { name: 'calendarSharing' },
  }),
  showBookingPage: operation({
    ...open,
    id: 'calendar.page',
    method: 'GET',
    path: one,
    summary: 'Show a booking page, as guests see it',
    description: 'There is none of somebody who is suspended, or that is switched off.',
    input: v.object(bySlug),
    reply: v.object({ page: publicPage }),
    status: 200,
    message: 'Booking page',
    errors: ['NOT_FOUND'],
  }),
  listSlots: operation({
    ...open,
    id: 'calendar.slots',
    method: 'GET',
    path: `${one}/slots`,
    summary: 'List the times at which an appointment can be booked',
    description: `Either \`date\`, a day in \`timezone\`, and \`days\` from it on, or \`start\` and \`end\`; without any, seven days from now on. At most ${bookingLimits.slotDays} days.`,
    input: v.object({
      ...bySlug,
      appointmentType: ofType,
      date: v.optional(day),
      days: v.optional(integer(1, bookingLimits.slotDays)),
      start: v.optional(rangeTime),
      end: v.optional(rangeTime),
      timezone: inZone,
    }),
    reply: v.object({
      slots: v.array(slot),
      timezone: v.string(),
      days: v.pipe(v.record(v.string(), v.array(slot)), v.description('the same by days in `timezone`')),
    }),
    status: 200,
    message: 'Times',
    errors: ['NOT_FOUND'],
    limit: { name: 'calendarSlots' },
  }),
  bookAppointment: operation({
    ...open,
    id: 'calendar.book',
    method: 'POST',
    path: `${one}/book`,
    summary: 'Book an appointment',
    description: `Two bookings never take the same time of a host. \`manageToken\` is returned only here: with it the guest sees, moves and cancels the appointment. One mail address has at most ${bookingLimits.open} appointments of a page that are not over, and a page takes ${bookingLimits.perHour} bookings an hour.`,
    input: v.object({
      ...bySlug,
      appointmentType: ofType,
      startTime: moment,
      timezone: inZone,
      ...guestFields,
      requestId: v.optional(
        v.pipe(
          hex(16),
          v.description('random: the same request with the same one books once, and gets the same answer again'),
        ),
      ),
    }),
    reply: v.object({
      appointment,
      manageToken: v.string(),
      manageUrl: v.string(),
      icsUrl: v.string(),
      delivery: v.picklist(deliveries),
    }),
    status: 201,
    message: 'Appointment booked',
    secretReply: true,
    errors: ['NOT_FOUND', 'SLOT_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'],
    limit: { name: 'calendarBooking' },
  }),
};
