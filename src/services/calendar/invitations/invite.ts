import type { Context } from '../../../service/context.ts';
import type { GivenEvent } from '../../../contract/calendar/event.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { organizerOf } from '../icalendar/fields/people.ts';
import { withOrganizer, type MemberLookup } from '../icalendar/fields/given-people.ts';
import { componentsOf, propertiesOf, propertyOf, type JcalComponent } from '../icalendar/jcal.ts';
import { invitedTo, organizerParty, partOf, withEvents, type Part } from '../itip/self.ts';
import { withRoutes } from './announce.ts';
import { membersById, partyOfMember, resolveAttendees, type ResolvedAttendees } from './people.ts';

/** What a change says of attendees, with members by their ids. */
export interface Invited {
  readonly given: GivenEvent;
  readonly memberOf: MemberLookup;
  /** members whom the transaction has locked */
  readonly locked: ReadonlySet<string>;
}

/**
 * Looks up those whom a change names, and locks all members whose events it may write: the owner of the calendar, that of another one to which the
 * event comes, and who is or was invited.
 * @throws Problem invalid VALIDATION_ERROR
 */
export async function prepareAttendees(
  tx: Context,
  { owner_id: ownerId, other_id: otherId }: Pick<CalendarRow, 'owner_id'> & { readonly other_id?: string | undefined },
  given: GivenEvent,
  before: JcalComponent | undefined,
): Promise<Invited> {
  const { attendees } = given;
  const resolved: ResolvedAttendees | undefined = attendees && (await resolveAttendees(tx, attendees));
  const owners = otherId === undefined ? [ownerId] : [ownerId, otherId];
  const locked = new Set([...owners, ...(resolved?.memberIds ?? []), ...membersIn(before)]);
  await lockMembers(tx, [...locked]);
  if (resolved === undefined) return { given, memberOf: () => undefined, locked };
  // What others answer is theirs to say.
  const said = resolved.attendees.map(({ partstat, ...rest }) =>
    rest.userId === ownerId ? { ...rest, partstat: partstat ?? ('ACCEPTED' as const) } : rest,
  );
  return { given: { ...given, attendees: said }, memberOf: resolved.memberOf, locked };
}

/** Ids of members of this node who organize or attend. */
export function membersIn(object: JcalComponent | undefined): string[] {
  if (object === undefined) return [];
  const all = [organizerParty(object), ...invitedTo(object)];
  return all.flatMap((party) => party?.memberId ?? []);
}

/** What the owner of a calendar is in an event. */
export async function partOfOwner(
  tx: Context,
  { owner_id: ownerId }: Pick<CalendarRow, 'owner_id'>,
  object: JcalComponent,
): Promise<Part> {
  return organizerParty(object) === undefined ? 'none' : partOf(object, await partyOfMember(tx, ownerId));
}

/**
 * The object as it is to be stored: whoever owns the calendar organizes what has attendees.
 * @throws Problem invalid VALIDATION_ERROR for attendees of an event that somebody else organizes
 */
export async function organized(
  tx: Context,
  { owner_id: ownerId }: Pick<CalendarRow, 'owner_id'>,
  object: JcalComponent,
): Promise<JcalComponent> {
  const events = componentsOf(object, 'vevent');
  if (!events.some((event) => propertyOf(event, 'attendee') !== undefined)) return object;
  const organizer = organizerParty(object);
  if (organizer === undefined) {
    const person = (await membersById(tx, [ownerId])).get(ownerId);
    if (person === undefined) throw new Error('the owner of a calendar is a member');
    const { username: _, active: __, ...who } = person;
    return await withRoutes(
      tx,
      withEvents(object, (event) => withOrganizer(event, who)),
    );
  }
  if (partOf(object, await partyOfMember(tx, ownerId)) !== 'organizer')
    throw fieldProblem('attendees', 'can be invited by the organizer of the event alone');
  const [first] = events.flatMap((event) => organizerOf(event) ?? []);
  const same = withEvents(object, (event) =>
    propertiesOf(event, 'organizer').length > 0 || first === undefined ? event : withOrganizer(event, first),
  );
  return await withRoutes(tx, same);
}

const own = new Set(['reminders', 'transparency', 'categories']);

/** @throws Problem forbidden FORBIDDEN for what is not the attendee's to change */
export function assertAttendeeMay(given: GivenEvent): void {
  const others = Object.entries(given).flatMap(([field, value]) =>
    value === undefined || own.has(field) ? [] : [field],
  );
  if (others.length === 0) return;
  throw new Problem(
    'forbidden',
    'FORBIDDEN',
    'Somebody else organizes this event. You can change your reminders, categories and transparency, answer it, or propose another time.',
    { fields: others.map((path) => ({ path, message: 'is for the organizer to change' })) },
  );
}
