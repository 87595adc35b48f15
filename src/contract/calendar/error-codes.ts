/** What can go wrong with calendars. */
export const calendarErrorCodes = {
  CONFLICT: { status: 409, text: 'It exists already: an event with this UID, or a share with this member.' },
  SEQUENCE_CONFLICT: { status: 409, text: 'The event was changed meanwhile. Read it again.' },
  PRECONDITION_FAILED: {
    status: 412,
    text: 'The event or contact has another `ETag` than `If-Match` names. Read it again.',
  },
  DEFAULT_CALENDAR: {
    status: 409,
    text: 'The default calendar cannot be deleted. Make another one the default first.',
  },
  CALENDARS_FULL: { status: 409, text: 'The caller has as many calendars as is possible. Delete one first.' },
  EVENTS_FULL: {
    status: 409,
    text: 'The calendar has as many events as is possible. Delete some, or use another one.',
  },
  SUBSCRIPTIONS_OFF: { status: 409, text: 'The node does not fetch calendars from elsewhere.' },
  SUBSCRIPTIONS_FULL: {
    status: 409,
    text: 'The caller has as many calendars from elsewhere as is possible. Delete one first.',
  },
  SLUG_TAKEN: { status: 409, text: 'A booking page has this address, or had it until not long ago.' },
  PAGES_FULL: { status: 409, text: 'The caller has as many booking pages as is possible. Delete one first.' },
  SLOT_UNAVAILABLE: { status: 409, text: 'The time can not be booked, or not any more. Choose another one.' },
  APPOINTMENT_CLOSED: { status: 409, text: 'The appointment is over, cancelled, or decided already.' },
  EVENT_CANCELLED: { status: 410, text: 'The event was cancelled.' },
  ALREADY_DECIDED: { status: 409, text: 'The proposal was accepted or declined already.' },
  SYNC_TOKEN_EXPIRED: { status: 410, text: 'The `syncToken` is too old. List everything again, without one.' },
} as const;
