import type { Scene } from '../services/passvault/scene.ts';
import type { Repeatable } from './repeatable-files.ts';

/** The operations of calendars that take a file and a key. */
export const repeatableCalendarFiles: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'calendar.import': async ({ house, owner }) => {
    const body = { displayName: 'Once', timezone: 'UTC' };
    const made = await house.api('POST', '/api/cal/calendars', { token: owner.token, body });
    const calendarId = made.body.calendar.id as string;
    const event = 'BEGIN:VEVENT\r\nUID:once\r\nDTSTART:20260301T100000Z\r\nEND:VEVENT\r\n';
    return {
      path: `/api/cal/export/${calendarId}/import?duplicateMode=create-new`,
      rawBody: `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${event}END:VCALENDAR\r\n`,
      contentType: 'text/calendar',
      count: async () => (await house.ctx.db.selectFrom('calendar_objects').select('id').execute()).length,
      effects: 1,
    };
  },
};
