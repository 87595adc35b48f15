import { toFields } from '../icalendar/fields/to-fields.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import type { OpenObject } from '../objects/read.ts';

/** Whether two events happen at the same times, however programs write those. */
export function hasSameTimes(one: JcalComponent, other: JcalComponent, { zones }: Pick<OpenObject, 'zones'>): boolean {
  const timesOf = (event: JcalComponent): string => {
    const fields = toFields(event, zones);
    if (fields === undefined) return '';
    const { start, end, allDay, rrule, exdates, rdates } = fields;
    const rule = Object.entries(rrule ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify([start, end, allDay, rule, exdates.toSorted(), rdates.toSorted()]);
  };
  return timesOf(one) === timesOf(other);
}
