import { paramOf, propertiesOf, propertyOf, textOf, valuesOf, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { durationOf, isTime } from '../text/times.ts';
import { ruleFromText } from '../text/rules.ts';
import type { ReadProblemCode } from './problem.ts';

export interface Flaw {
  readonly code: ReadProblemCode;
  readonly message: string;
}

const timeNames = ['dtstart', 'dtend', 'due', 'recurrence-id', 'rdate', 'exdate'];

/** What makes a component unusable; undefined if nothing does. Without a time that can be read nobody knows when an event is. */
export function flawOf(component: JcalComponent): Flaw | undefined {
  const [name] = component;
  if (name === 'vevent' && propertyOf(component, 'dtstart') === undefined)
    return { code: 'START_MISSING', message: 'It has no DTSTART, so nobody knows when it is.' };
  for (const property of timeNames.flatMap((one) => propertiesOf(component, one))) {
    if (!valuesOf(property).every((value) => isTimeValue(value)))
      return { code: 'TIME_INVALID', message: `Its ${property[0].toUpperCase()} is no day and no time.` };
  }
  for (const property of ['rrule', 'exrule'].flatMap((one) => propertiesOf(component, one))) {
    const flaw = flawOfRule(property);
    if (flaw !== undefined) return flaw;
  }
  const duration = propertyOf(component, 'duration');
  if (duration !== undefined && durationOf(textOf(duration)) === undefined)
    return { code: 'DURATION_INVALID', message: 'Its DURATION is no duration.' };
  return undefined;
}

function isTimeValue(value: unknown): boolean {
  if (typeof value === 'string') return isTime(value);
  if (!Array.isArray(value)) return false;
  const [start, end] = value as readonly unknown[];
  return (
    typeof start === 'string' &&
    isTime(start) &&
    typeof end === 'string' &&
    (isTime(end) || durationOf(end) !== undefined)
  );
}

function flawOfRule(property: JcalProperty): Flaw | undefined {
  const [value] = valuesOf(property);
  const rule = typeof value === 'object' && !Array.isArray(value) ? value : ruleFromText(String(value));
  const until = rule === undefined ? undefined : (rule as Readonly<Record<string, unknown>>)['until'];
  const good = rule !== undefined && (until === undefined || (typeof until === 'string' && isTime(until)));
  return good ? undefined : { code: 'RULE_INVALID', message: `Its ${property[0].toUpperCase()} is no rule.` };
}

/** What is read, but hardly as it was meant. */
export function oddityOf(component: JcalComponent): Flaw | undefined {
  const [start, end] = [propertyOf(component, 'dtstart'), propertyOf(component, 'dtend')];
  if (start === undefined || end === undefined || paramOf(start, 'tzid') !== paramOf(end, 'tzid')) return undefined;
  return textOf(end) < textOf(start)
    ? { code: 'ENDS_BEFORE_START', message: 'It ends before it starts. It was read as if it ended when it starts.' }
    : undefined;
}
