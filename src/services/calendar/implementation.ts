import { appointments } from '../../contract/calendar/appointments.ts';
import { booking } from '../../contract/calendar/booking.ts';
import { calendars } from '../../contract/calendar/calendars.ts';
import { exporting } from '../../contract/calendar/export.ts';
import { holidays } from '../../contract/calendar/holidays.ts';
import { events } from '../../contract/calendar/events.ts';
import { links } from '../../contract/calendar/links.ts';
import { scheduling } from '../../contract/calendar/scheduling.ts';
import { search } from '../../contract/calendar/search.ts';
import { invitations } from '../../contract/calendar/invitations.ts';
import { shares } from '../../contract/calendar/shares.ts';
import { implement } from '../../service/implement.ts';

export const calendarImplementation = {
  ...implement(calendars, () => import('./calendars.ts')),
  ...implement(holidays, () => import('./holidays.ts')),
  ...implement(events, () => import('./events.ts')),
  ...implement(exporting, () => import('./export.ts')),
  ...implement(shares, () => import('./shares.ts')),
  ...implement(links, () => import('./links.ts')),
  ...implement(scheduling, () => import('./scheduling.ts')),
  ...implement(invitations, () => import('./invitations.ts')),
  ...implement(search, () => import('./search.ts')),
  ...implement(booking, () => import('./booking.ts')),
  ...implement(appointments, () => import('./appointments.ts')),
};
