import * as v from 'valibot';
import { rawOperation, type Contract } from './operation.ts';
import { atMost } from './text.ts';

const slug = v.pipe(atMost(64), v.toLowerCase());
const optional = (max: number) => v.optional(atMost(max));
const common = { envelope: 'system', auth: 'none', status: 200, produces: ['text/html'] } as const;
const form = ['application/x-www-form-urlencoded'] as const;
const manage = { slug, appointment: atMost(64) };

/** The pages on which guests book appointments. They work without scripts, and do what the operations of the calendar do. */
export const bookingPages = {
  style: rawOperation({
    ...common,
    id: 'bookingPage.style',
    method: 'GET',
    path: '/book/page.css',
    summary: 'Get the style sheet of booking pages',
    description: 'It comes from this server alone, and loads nothing from others.',
    input: v.object({}),
    errors: [],
    accepts: [],
    produces: ['text/css'],
  }),
  show: rawOperation({
    ...common,
    id: 'bookingPage.show',
    method: 'GET',
    path: '/book/:slug',
    summary: 'Show a booking page in a browser',
    description:
      'Kinds of appointments; with `type` the times of a week from `date` on, in `timezone`; with `start` the form of one.',
    input: v.object({ slug, type: optional(255), date: optional(20), timezone: optional(64), start: optional(40) }),
    errors: ['NOT_FOUND'],
    accepts: [],
    limit: { name: 'calendarSlots' },
  }),
  book: rawOperation({
    ...common,
    id: 'bookingPage.book',
    method: 'POST',
    path: '/book/:slug',
    summary: 'Book an appointment by the form of a booking page',
    description:
      'Answers 303 with the page of the appointment. The form has a token of one use, so that a form that is sent twice books once.',
    input: v.object({ slug }),
    errors: ['NOT_FOUND'],
    accepts: form,
    maxBody: 128 * 1024,
    limit: { name: 'calendarBooking' },
  }),
  showAppointment: rawOperation({
    ...common,
    id: 'bookingPage.show-appointment',
    method: 'GET',
    path: '/book/:slug/:appointment',
    summary: 'Show the page of an appointment to its guest',
    description: 'With forms to move and to cancel it.',
    input: v.object({
      ...manage,
      token: optional(100),
      action: optional(20),
      date: optional(20),
      timezone: optional(64),
      start: optional(40),
    }),
    errors: ['NOT_FOUND'],
    accepts: [],
    limit: { name: 'calendarSlots' },
  }),
  changeAppointment: rawOperation({
    ...common,
    id: 'bookingPage.change-appointment',
    method: 'POST',
    path: '/book/:slug/:appointment',
    summary: 'Move or cancel an appointment by a form of its page',
    description: 'Answers 303 with the page of the appointment.',
    input: v.object(manage),
    errors: ['NOT_FOUND'],
    accepts: form,
    maxBody: 128 * 1024,
  }),
} satisfies Contract;
