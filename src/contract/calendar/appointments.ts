import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { atMost, moment, paragraph, recordId } from '../text.ts';
import { paged } from '../page.ts';
import { appointment } from './booking-fields.ts';
import { calendarRoot, rangeTime } from './fields.ts';
import { bookingLimits, bookingStatuses } from './limits.ts';

const root = `${calendarRoot}/booking/appointments`;
const one = `${root}/:id`;
const host = { envelope: 'calendar', auth: 'member' } as const;
const either = { envelope: 'calendar', auth: 'optional' } as const;

const byId = { id: recordId };
/** A wrong one is no other than one of another form. */
const token = v.optional(
  v.pipe(
    atMost(100),
    v.metadata({ secret: true }),
    v.description('the `manageToken` of the guest; without it, for the host'),
  ),
);
const reason = v.optional(v.pipe(paragraph(bookingLimits.answer), v.description('the other side reads it')));
const oneAppointment = v.object({ appointment });

/** What guests have booked, prefix `/api/cal/booking/appointments`. */
export const appointments = {
  listAppointments: operation({
    ...host,
    id: 'calendar.appointments',
    method: 'GET',
    path: root,
    summary: 'List what guests have booked with you',
    description: 'In the order of their begins, from now on if no range is given.',
    ...paged({
      name: 'appointments',
      of: appointment,
      filter: {
        start: v.optional(rangeTime),
        end: v.optional(rangeTime),
        status: v.optional(v.picklist(bookingStatuses, `must be one of ${bookingStatuses.join(', ')}`)),
        page: v.optional(v.pipe(atMost(64), v.toLowerCase(), v.description('slug of one page'))),
      },
      errors: ['NOT_FOUND'],
    }),
    status: 200,
    message: 'Appointments',
  }),
  showAppointment: operation({
    ...either,
    id: 'calendar.appointment',
    method: 'GET',
    path: one,
    summary: 'Show an appointment',
    description: 'For its host, and for its guest with the `token`.',
    input: v.object({ ...byId, token }),
    reply: oneAppointment,
    status: 200,
    message: 'Appointment',
    errors: ['NOT_FOUND'],
  }),
  appointmentIcs: rawOperation({
    ...either,
    id: 'calendar.appointment-ics',
    method: 'GET',
    path: `${one}/ics`,
    summary: 'Get an appointment as a file for calendar programs',
    description:
      'For its host, and for its guest with the `token`; what the guest gets says how to move and cancel it.',
    input: v.object({ ...byId, token }),
    status: 200,
    errors: ['NOT_FOUND'],
    accepts: [],
    produces: ['text/calendar'],
  }),
  cancelAppointment: operation({
    ...either,
    id: 'calendar.cancel-appointment',
    method: 'DELETE',
    path: one,
    summary: 'Cancel an appointment',
    description: 'For its host, and for its guest with the `token`. Its time is free again.',
    input: v.object({ ...byId, token, reason }),
    reply: oneAppointment,
    status: 200,
    message: 'Appointment cancelled',
    errors: ['NOT_FOUND', 'APPOINTMENT_CLOSED'],
  }),
  rescheduleAppointment: operation({
    ...either,
    id: 'calendar.reschedule-appointment',
    method: 'POST',
    path: `${one}/reschedule`,
    summary: 'Move an appointment to another time',
    description:
      'For its host, and for its guest with the `token`, to a time that could be booked. One that needs the word of the host needs it again when the guest moves it.',
    input: v.object({ ...byId, token, startTime: moment }),
    reply: oneAppointment,
    status: 200,
    message: 'Appointment moved',
    errors: ['NOT_FOUND', 'SLOT_UNAVAILABLE', 'APPOINTMENT_CLOSED'],
  }),
  confirmAppointment: operation({
    ...host,
    id: 'calendar.confirm-appointment',
    method: 'POST',
    path: `${one}/confirm`,
    summary: 'Confirm an appointment that waits for it',
    description: 'Refused if an event of yours takes the time by now.',
    input: v.object(byId),
    reply: oneAppointment,
    status: 200,
    message: 'Appointment confirmed',
    errors: ['NOT_FOUND', 'SLOT_UNAVAILABLE', 'APPOINTMENT_CLOSED'],
  }),
  rejectAppointment: operation({
    ...host,
    id: 'calendar.reject-appointment',
    method: 'POST',
    path: `${one}/reject`,
    summary: 'Reject an appointment that waits for you',
    description: 'Its time is free again, and its guest is told.',
    input: v.object({ ...byId, reason }),
    reply: oneAppointment,
    status: 200,
    message: 'Appointment rejected',
    errors: ['NOT_FOUND', 'APPOINTMENT_CLOSED'],
  }),
};
