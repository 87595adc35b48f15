import type { Scene } from '../services/passvault/scene.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/cal/booking';
const everyHour = [0, 1, 2, 3, 4, 5, 6].map((dayOfWeek) => ({ dayOfWeek, startTime: '00:00', endTime: '24:00' }));
const page = {
  slug: 'once-a-page',
  title: 'Once',
  timezone: 'UTC',
  appointmentTypes: [{ name: 'Talk', durationMinutes: 60, availableWindows: everyHour }],
};

/** The list of appointments, whole and filtered. */
export const bookingLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'calendar.appointments': () => [
    { path: `${root}/appointments` },
    { path: `${root}/appointments?status=confirmed&page=${page.slug}` },
  ],
};

/** So that it has a second page. */
export async function fillBooking({ house, owner }: Scene): Promise<void> {
  await house.api('POST', `${root}/pages`, { token: owner.token, body: page });
  const { body } = await house.api('GET', `${root}/pages/${page.slug}/slots?appointmentType=Talk`);
  for (const { start: startTime } of (body.slots as { start: string }[]).slice(0, 2)) {
    const guest = { bookerName: 'Twin', bookerEmail: `${startTime.replaceAll(/\D/g, '')}@else.example` };
    await house.api('POST', `${root}/pages/${page.slug}/book`, {
      body: { appointmentType: 'Talk', startTime, ...guest },
    });
  }
}

/** The operations of booking that take a key. */
export const repeatableBooking: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'calendar.create-page': async ({ house }) => ({
    path: `${root}/pages`,
    body: page,
    count: async () => (await house.ctx.db.selectFrom('booking_pages').select('id').execute()).length,
    effects: 1,
  }),
};
