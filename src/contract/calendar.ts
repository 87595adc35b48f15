import { appointments } from './calendar/appointments.ts';
import { booking } from './calendar/booking.ts';
import { calendars } from './calendar/calendars.ts';
import { exporting } from './calendar/export.ts';
import { holidays } from './calendar/holidays.ts';
import { events } from './calendar/events.ts';
import { links } from './calendar/links.ts';
import { scheduling } from './calendar/scheduling.ts';
import { search } from './calendar/search.ts';
import { invitations } from './calendar/invitations.ts';
import { shares } from './calendar/shares.ts';

/** Calendars of members, prefix `/api/cal`. */
export const calendar = {
  ...calendars,
  ...holidays,
  ...shares,
  ...links,
  ...events,
  ...exporting,
  ...scheduling,
  ...invitations,
  ...search,
  ...booking,
  ...appointments,
};
