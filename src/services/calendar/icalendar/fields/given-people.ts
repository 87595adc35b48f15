import type { GivenEvent } from '../../../../contract/calendar/event.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import { propertiesOf, withProperties, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { keyOf, memberParam, personOf, uriOf, type Person } from './people.ts';

type GivenAttendee = NonNullable<GivenEvent['attendees']>[number];

/** Who a member is to others: an address of this node, if there is one. Undefined for who is none. */
export type MemberLookup = (userId: string) => Person | undefined;

/**
 * The component with these attendees. Of those who were there, what isn't given stays: their answers, and what other programs know of them.
 *
 * @throws Problem invalid VALIDATION_ERROR with `attendees.0.userId`
 */
export function withAttendees(
  component: JcalComponent,
  given: readonly GivenAttendee[],
  memberOf: MemberLookup,
): JcalComponent {
  const before = new Map(propertiesOf(component, 'attendee').map((property) => [keyOf(personOf(property)), property]));
  const all = new Map<string, JcalProperty>();
  for (const [at, attendee] of given.entries()) {
    const person = personFrom(attendee, at, memberOf);
    const key = keyOf(person);
    if (!all.has(key)) all.set(key, attendeeProperty(attendee, person, before.get(key)));
  }
  return withProperties(component, ['attendee'], [...all.values()]);
}

function personFrom({ userId, email, displayName }: GivenAttendee, at: number, memberOf: MemberLookup): Person {
  const given = { ...(email !== undefined && { email }), ...(displayName !== undefined && { displayName }) };
  if (userId === undefined) return given;
  const member = memberOf(userId);
  if (member === undefined) throw fieldProblem(`attendees.${at}.userId`, 'is not a member');
  // Members are known to others by their own addresses.
  return { userId, ...given, ...member };
}

function attendeeProperty(
  { role, partstat, rsvp, cutype }: GivenAttendee,
  person: Person,
  before: JcalProperty | undefined,
): JcalProperty {
  const said = {
    ...(person.userId !== undefined && { [memberParam]: person.userId }),
    ...(person.displayName !== undefined && { cn: person.displayName }),
    ...(cutype !== undefined && { cutype: cutype.toUpperCase() }),
    ...(role !== undefined && { role }),
    ...(partstat !== undefined && { partstat }),
    ...(rsvp !== undefined && { rsvp: rsvp ? 'TRUE' : 'FALSE' }),
  };
  if (before !== undefined)
    return [before[0], { ...before[1], ...said }, before[2], ...before.slice(3)] as unknown as JcalProperty;
  // Some programs show no buttons to answer with, unless they are asked for an answer.
  const asked = (partstat ?? 'NEEDS-ACTION') === 'NEEDS-ACTION' && role !== 'NON-PARTICIPANT' ? { rsvp: 'TRUE' } : {};
  return ['attendee', { partstat: 'NEEDS-ACTION', ...asked, ...said }, 'cal-address', uriOf(person)];
}

/** Who invites. */
export function withOrganizer(component: JcalComponent, person: Person): JcalComponent {
  const params = {
    ...(person.displayName !== undefined && { cn: person.displayName }),
    ...(person.userId !== undefined && { [memberParam]: person.userId }),
  };
  return withProperties(component, ['organizer'], [['organizer', params, 'cal-address', uriOf(person)]]);
}
