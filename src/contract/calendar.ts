import { appointments } from './calendar/appointments.ts';
import { booking } from './calendar/booking.ts';
import { calendars } from './calendar/calendars.ts';
import { holidays } from './calendar/holidays.ts';
import { events } from './calendar/events.ts';
import { search } from './calendar/search.ts';
import { shares } from './calendar/shares.ts';

/** Calendars of members, prefix `/api/cal`. */
export const calendar = {
  ...calendars,
  ...holidays,
  ...shares,
  ...events,
  ...search,
  ...booking,
  ...appointments,
};
