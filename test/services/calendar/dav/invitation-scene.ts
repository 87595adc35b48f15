import { events } from '../../../../src/contract/calendar/events.ts';
import type { Event } from '../../../../src/contract/calendar/event.ts';
import { notificationInbox } from '../../../../src/contract/notifications/inbox.ts';
import type { Config } from '../../../../src/config/config.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import { openDav, type DavScene } from '../../../http/dav/dav-scene.ts';
import { config } from '../../../support/mail-config.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { groupOf } from '../../chat/chat-scene.ts';

const range = { start: '2026-01-10', end: '2026-02-10' };

interface StoredCopy {
  readonly event: Event;
  /** where programs have it */
  readonly path: string;
  readonly text: string;
  readonly scheduleTag: string | null;
}

interface InvitationScene extends DavScene {
  /** of a resource in a new calendar */
  placeOf(who: HouseMember, name: string): Promise<string>;
  put(
    who: HouseMember,
    path: string,
    body: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number;
    readonly preconditions: readonly string[];
    readonly etag: string | null;
    readonly scheduleTag: string | null;
  }>;
  /** the only event of a member in the time of the tests */
  copyOf(who: HouseMember): Promise<StoredCopy>;
  noticesOf(who: HouseMember): Promise<string[]>;
  answersIn(who: HouseMember): Promise<Record<string, string>>;
  /** as programs write who takes part */
  lines(organizer: string, ...attendees: readonly string[]): string[];
}

/** Members who know each other, with programs. */
export async function openInvitations(engine: EngineName, more: Partial<Config> = {}): Promise<InvitationScene> {
  const scene = await openDav(engine, { config: { ...config, ...more } });
  await groupOf(scene.house, [scene.ann, scene.bob, scene.cleo]);
  const eventOf = async (who: HouseMember): Promise<Event> => {
    const { events: all } = await scene.done(events.listEvents, who, range);
    if (all.length !== 1) throw new Error(`${all.length} events`);
    return all[0]!;
  };
  return {
    ...scene,
    placeOf: async (who, name) => `/dav/calendars/${who.memberId}/${(await scene.calendarOf(who)).id}/${name}`,
    async put(who, path, body, headers = {}) {
      const asked = { headers: { 'content-type': 'text/calendar; charset=utf-8', ...headers }, body };
      const { status, preconditions, headers: sent } = await scene.dav(who, 'PUT', path, asked);
      return { status, preconditions, etag: sent.get('etag'), scheduleTag: sent.get('schedule-tag') };
    },
    async copyOf(who) {
      const event = await eventOf(who);
      const path = `/dav/calendars/${who.memberId}/${event.calendarId}/${event.parentEventId ?? event.id}.ics`;
      const { text, headers } = await scene.dav(who, 'GET', path);
      return { event, path, text: text.replaceAll('\r\n ', ''), scheduleTag: headers.get('schedule-tag') };
    },
    async noticesOf({ token }) {
      const { body } = await scene.house.perform(notificationInbox.list, {}, token);
      return body.data.notifications
        .filter(({ category }: { category: string }) => category === 'calendar')
        .map(({ type }: { type: string }) => type)
        .toSorted();
    },
    async answersIn(who) {
      const { attendees } = await eventOf(who);
      const others = attendees.filter(({ userId }) => userId !== who.memberId);
      return Object.fromEntries(others.map(({ email = '', partstat }) => [email.split('@')[0] ?? '', partstat]));
    },
    lines: (organizer, ...attendees) => [
      `ORGANIZER:mailto:${organizer}@home.example`,
      ...attendees.map((name) => `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${name}@home.example`),
    ],
  };
}
