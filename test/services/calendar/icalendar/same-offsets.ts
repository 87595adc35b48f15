import { expect } from 'vitest';
import { definitionOf, transitionsIn } from '../../../../src/services/calendar/icalendar/zones/definition.ts';
import { vtimezone } from '../../../../src/services/calendar/icalendar/zones/vtimezone.ts';
import { propertiesOf, propertyOf, type JcalComponent } from '../../../../src/services/calendar/icalendar/jcal.ts';
import { objectText } from '../../../../src/services/calendar/icalendar/write.ts';
import { readOne, zones } from './support.ts';

/** Describes a zone, writes and reads the description, and compares all changes of its offset from 1970 to 2037. */
export function expectSameOffsets(zone: string): void {
  const [from, to] = [Date.UTC(1970, 0, 1), Date.UTC(2038, 0, 1)];
  const start = ['dtstart', { tzid: `Of ${zone}` }, 'date-time', '1970-06-01T00:00:00'] as const;
  const event: JcalComponent = ['vevent', [['uid', {}, 'text', zone], start], []];
  const object: JcalComponent = ['vcalendar', [], [vtimezone(`Of ${zone}`, zone, zones), event]];
  const [definition] = readOne(objectText(object, zones))[2];
  const read = definition === undefined ? undefined : definitionOf(definition);
  const { first, all } = read === undefined ? { first: Number.NaN, all: [] } : transitionsIn(read, from, to);
  expect({ zone, first, all }).toEqual({
    zone,
    first: zones.offset(zone, from),
    all: zones.transitions(zone, 1970, 2037),
  });
  // What is described has no more rules than changes of rules.
  const rules = definition?.[2].filter((one) => propertiesOf(one, 'rrule').length > 0) ?? [];
  for (const one of rules) expect(propertyOf(one, 'rdate')).toBeUndefined();
}
