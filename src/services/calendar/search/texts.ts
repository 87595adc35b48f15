import { attendeesOf, organizerOf } from '../icalendar/fields/people.ts';
import { componentsOf, propertyOf, textOf, type JcalComponent } from '../icalendar/jcal.ts';

/** What of an event is searched, the most telling first. */
export const searchedFields = ['summary', 'location', 'attendees', 'description'] as const;
export type SearchedField = (typeof searchedFields)[number];

export type SearchedTexts = Readonly<Record<SearchedField, string>>;

export function searchedTexts(event: JcalComponent): SearchedTexts {
  const text = (name: string): string => textOf(propertyOf(event, name));
  const organizer = organizerOf(event);
  const people = [...(organizer === undefined ? [] : [organizer]), ...attendeesOf(event)];
  return {
    summary: text('summary'),
    location: text('location'),
    attendees: people.flatMap(({ displayName = '', email = '' }) => [displayName, email]).join('\n'),
    description: text('description'),
  };
}

/** The events of an object: the series, and its instances that were changed by themselves. */
export function eventsIn(object: JcalComponent): readonly JcalComponent[] {
  return componentsOf(object, 'vevent');
}
