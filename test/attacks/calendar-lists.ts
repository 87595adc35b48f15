import type { Scene } from '../services/passvault/scene.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/cal';
const range = 'start=2026-03-20&end=2026-03-30';

/** The lists of events. Of calendars, shares and instances there is no page. */
export const calendarLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'calendar.events': () => [
    { path: `${root}/events` },
    { path: `${root}/events?updatedSince=1970-01-01` },
    { path: `${root}/events?${range}` },
  ],
  'calendar.search': () => [{ path: `${root}/search?q=twin` }, { path: `${root}/search?q=twin&${range}` }],
  'calendar.filter': () => [
    { path: `${root}/search/filter` },
    { path: `${root}/search/filter?recurring=true` },
    { path: `${root}/search/filter?${range}` },
  ],
};

const event = { summary: 'Twin', dtstart: '2026-03-23T09:00:00', tzid: 'UTC' };

/** So that each of them has a second page. */
export async function fillCalendars({ house, owner }: Scene): Promise<void> {
  for (const rrule of ['FREQ=DAILY;COUNT=2', 'FREQ=WEEKLY', undefined])
    await house.api('POST', `${root}/events`, { token: owner.token, body: { ...event, rrule } });
}

const counted =
  (table: 'calendars' | 'calendar_objects' | 'calendar_shares', { house }: Scene) =>
  async (): Promise<number> =>
    (await house.ctx.db.selectFrom(table).select('id').execute()).length;

/** The operations of calendars that take a key. */
export const repeatableCalendars: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'calendar.create': async (scene) => ({
    path: `${root}/calendars`,
    body: { displayName: 'Once' },
    count: counted('calendars', scene),
    // With the default one.
    effects: 2,
  }),
  'calendar.create-event': async (scene) => ({
    path: `${root}/events`,
    body: event,
    count: counted('calendar_objects', scene),
    effects: 1,
  }),
  'calendar.create-link': async ({ house, owner }) => {
    const { body } = await house.api('GET', '/api/cal/calendars', { token: owner.token });
    const [{ id }] = body.calendars as [{ id: string }];
    const tokens = async () => (await house.ctx.db.selectFrom('calendar_links').select('token_hash').execute()).length;
    return { path: `/api/cal/calendars/${id}/public-link`, body: {}, count: tokens, effects: 1 };
  },
  'calendar.add-share': async (scene) => {
    const { house, owner } = scene;
    const { body } = await house.api('GET', `${root}/calendars`, { token: owner.token });
    return {
      path: `${root}/calendars/${body.calendars[0].id}/shares`,
      body: { grantedToUserId: (await house.register()).memberId, permission: 'viewer' },
      count: counted('calendar_shares', scene),
      effects: 1,
    };
  },
};
