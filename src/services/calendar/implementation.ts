import { calendars } from '../../contract/calendar/calendars.ts';
import { shares } from '../../contract/calendar/shares.ts';
import { implement } from '../../service/implement.ts';

export const calendarImplementation = {
  ...implement(calendars, () => import('./calendars.ts')),
  ...implement(shares, () => import('./shares.ts')),
};
