import { calendars, type Calendar } from '../../../src/contract/calendar/calendars.ts';
import { events } from '../../../src/contract/calendar/events.ts';
import type { RawInputOf } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseOptions } from '../../support/house.ts';
import { openOuterWorld, type OuterWorld } from '../../support/outer-world.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openCalendars, type CalendarScene } from './calendar-scene.ts';

export const HOUR = 3_600_000;

/** Members of a node that fetches calendars, and a server that has some. */
export interface SubscriptionScene extends CalendarScene {
  readonly world: OuterWorld;
  /** a calendar that follows a path of the server, and was read once */
  follow(
    who: HouseMember,
    path: string,
    more?: Partial<RawInputOf<typeof calendars.createCalendar>>,
  ): Promise<Calendar>;
  shown(who: HouseMember, id: string): Promise<Calendar>;
  /** titles of the events of a calendar, in order */
  titles(who: HouseMember, calendarId: string): Promise<string[]>;
  /** turns the option on or off, as a reload does */
  turn(on: boolean): void;
}

export async function openSubscriptions(
  engine: EngineName,
  { config, ...options }: HouseOptions = {},
): Promise<SubscriptionScene> {
  const world = await openOuterWorld();
  const setting = { subscriptions: true, autoAdd: 'known' as const };
  const scene = await openCalendars(engine, {
    ...options,
    config: { calendar: setting, ...config },
    context: { outgoing: world.outgoing },
  });
  const shown: SubscriptionScene['shown'] = async (who, id) =>
    (await scene.done(calendars.showCalendar, who, { id })).calendar;
  return {
    ...scene,
    world,
    shown,
    async follow(who, path, more = {}) {
      const { id } = await scene.calendarOf(who, { displayName: 'Outer', subscriptionUrl: world.url(path), ...more });
      await scene.later(0);
      return await shown(who, id);
    },
    async titles(who, calendarId) {
      const { events: found } = await scene.done(events.listEvents, who, { calendarId, limit: 1_000 });
      return found.map(({ summary }) => summary).toSorted();
    },
    turn: (on) => void (setting.subscriptions = on),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

export const ics = (...parts: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...parts, 'END:VCALENDAR', ''].join('\r\n');

export const vevent = (uid: string, ...lines: readonly string[]) =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20260301T100000Z',
    `SUMMARY:${uid}`,
    ...lines,
    'END:VEVENT',
  ].join('\r\n');
