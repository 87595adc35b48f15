import { Flags } from '@oclif/core';
import type { Event } from '../../contract/calendar/event.ts';

export const inviteFlag = {
  invite: Flags.string({
    description: 'username, id or mail address of somebody who is to come; may be repeated',
    helpValue: 'WHO',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

/** The same as input of operations. What is not named is left out. */
export function attendeesInput({ invite }: { readonly invite?: readonly string[] | undefined }) {
  if (invite === undefined) return {};
  return { attendees: invite.map((name) => (name.includes('@') ? { email: name } : { userId: name })) };
}

/** Whom no mail reaches. @returns undefined if there is nobody */
export function unreachedWords({ attendees }: Pick<Event, 'attendees'>): string | undefined {
  const unreached = attendees.filter(({ delivery }) => delivery === 'NO_ROUTE').map(({ email = '' }) => email);
  if (unreached.length === 0) return undefined;
  return `No node of the pool serves the addresses of ${unreached.join(', ')}: tell them yourself.`;
}
