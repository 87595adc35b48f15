import { Flags } from '@oclif/core';
import type { Event } from '../../contract/calendar/event.ts';

export const attendeeFlag = {
  attendee: Flags.string({
    description: 'username, id or mail address of somebody who is to come; may be repeated',
    helpValue: 'WHO',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

/** Whether others hear that something is gone. */
export const notifyFlag = {
  notify: Flags.boolean({
    description: 'whom it concerns hears of it: attendees that it is cancelled, the organizer that you do not come',
    allowNo: true,
    default: true,
  }),
};

export function notifyInput({ notify }: { readonly notify: boolean }) {
  return notify ? {} : { notify: 'false' as const };
}

/** The same as input of operations. What is not named is left out. */
export function attendeesInput({ attendee }: { readonly attendee?: readonly string[] | undefined }) {
  if (attendee === undefined) return {};
  return { attendees: attendee.map((name) => (name.includes('@') ? { email: name } : { userId: name })) };
}

/** Whom no mail reaches; nothing if there is nobody. */
export function unreachedWords({ attendees }: Pick<Event, 'attendees'>): string[] {
  const unreached = attendees.filter(({ delivery }) => delivery === 'NO_ROUTE').map(({ email = '' }) => email);
  if (unreached.length === 0) return [];
  return [`No node of the pool serves the addresses of ${unreached.join(', ')}: tell them yourself.`];
}
