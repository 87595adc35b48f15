import { keyOf, personOf, type Person } from '../icalendar/fields/people.ts';
import { componentsOf, propertiesOf, propertyOf, type JcalComponent, type JcalProperty } from '../icalendar/jcal.ts';

/** Somebody who organizes or attends: a member of this node, or whoever has a mail address. */
export interface Party {
  readonly memberId?: string | undefined;
  /** address as `keyOf` has it */
  readonly key: string;
}

/** What somebody is in an event. `none`: it is a copy that nobody hears of, such as an imported one. */
export type Part = 'organizer' | 'attendee' | 'none';

export function partyOf(person: Person): Party {
  return { memberId: person.userId, key: keyOf(person) };
}

/** Whether both are one person. An address is what counts between nodes; members of this node are known by their ids. */
export function isSame(one: Party, other: Party): boolean {
  if (one.memberId !== undefined && other.memberId !== undefined) return one.memberId === other.memberId;
  return one.key === other.key;
}

export function organizerParty(object: JcalComponent): Party | undefined {
  for (const event of componentsOf(object, 'vevent')) {
    const property = propertyOf(event, 'organizer');
    if (property !== undefined) return partyOf(personOf(property));
  }
  return undefined;
}

/** All who are invited to a component. */
export function attendeeParties(event: JcalComponent): Party[] {
  return propertiesOf(event, 'attendee').map((property) => partyOf(personOf(property)));
}

/** All who are invited to any instance, without the organizer, each once. */
export function invitedTo(object: JcalComponent): Party[] {
  const organizer = organizerParty(object);
  const found: Party[] = [];
  for (const event of componentsOf(object, 'vevent'))
    for (const party of attendeeParties(event))
      if ((organizer === undefined || !isSame(party, organizer)) && !found.some((one) => isSame(one, party)))
        found.push(party);
  return found;
}

export function attendeeOf(event: JcalComponent, party: Party): JcalProperty | undefined {
  return propertiesOf(event, 'attendee').find((property) => isSame(partyOf(personOf(property)), party));
}

/** What the owner of a calendar is in an event that it has. */
export function partOf(object: JcalComponent, owner: Party): Part {
  const organizer = organizerParty(object);
  if (organizer === undefined) return 'none';
  if (isSame(organizer, owner)) return 'organizer';
  return componentsOf(object, 'vevent').some((event) => attendeeOf(event, owner) !== undefined) ? 'attendee' : 'none';
}

/** The component with what somebody answers. */
export function withAttendee(
  [name, properties, components]: JcalComponent,
  party: Party,
  change: (property: JcalProperty) => JcalProperty,
): JcalComponent {
  return [
    name,
    properties.map((one) => (one[0] === 'attendee' && isSame(partyOf(personOf(one)), party) ? change(one) : one)),
    components,
  ];
}

/** The object with each of its events changed. */
export function withEvents(
  [name, properties, components]: JcalComponent,
  change: (event: JcalComponent) => JcalComponent | undefined,
): JcalComponent {
  return [name, properties, components.flatMap((one) => (one[0] === 'vevent' ? asList(change(one)) : [one]))];
}

function asList(event: JcalComponent | undefined): JcalComponent[] {
  return event === undefined ? [] : [event];
}

export function withParams(
  [name, params, type, ...values]: JcalProperty,
  more: Readonly<Record<string, string | undefined>>,
): JcalProperty {
  const all = Object.entries({ ...params, ...more }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return [name, Object.fromEntries(all), type, ...values];
}
