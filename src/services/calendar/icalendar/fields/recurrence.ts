import type { RuleObject } from '../../../../contract/calendar/recurrence.ts';
import {
  paramOf,
  propertiesOf,
  propertyOf,
  textOf,
  timeText,
  valuesOf,
  valueText,
  type JcalComponent,
  type JcalProperty,
  type JcalRule,
} from '../jcal.ts';
import { ruleFromText, ruleToText } from '../text/rules.ts';
import { isTime, timeToText } from '../text/times.ts';
import { eventTimeOf, inZoneOf, type EventTime, type FieldZones } from './times.ts';

/** Names of parts: in jCal, and in the interface. */
const parts = [
  ['freq', 'freq'],
  ['interval', 'interval'],
  ['count', 'count'],
  ['until', 'until'],
  ['bysecond', 'bySecond'],
  ['byminute', 'byMinute'],
  ['byhour', 'byHour'],
  ['byday', 'byDay'],
  ['bymonthday', 'byMonthDay'],
  ['byyearday', 'byYearDay'],
  ['byweekno', 'byWeekNo'],
  ['bymonth', 'byMonth'],
  ['bysetpos', 'bySetPos'],
  ['wkst', 'wkst'],
] as const;

const single = new Set(['freq', 'interval', 'count', 'until', 'wkst']);

/** The rule of a property as jCal has it; undefined if it is none. */
export function jcalRuleOf(property: JcalProperty | undefined): JcalRule | undefined {
  const value = property === undefined ? undefined : valuesOf(property)[0];
  if (value === undefined) return undefined;
  return typeof value === 'object' && !Array.isArray(value) ? (value as JcalRule) : ruleFromText(String(value));
}

export function ruleObjectOf(rule: JcalRule): RuleObject {
  const entries = parts.flatMap(([from, to]) => {
    const value = rule[from];
    if (value === undefined) return [];
    return [[to, single.has(from) ? [value].flat()[0] : [value].flat()]];
  });
  return Object.fromEntries(entries) as RuleObject;
}

export function jcalRuleFrom(rule: RuleObject): JcalRule {
  const entries = parts.flatMap(([to, from]) => {
    const value = rule[from];
    if (value === undefined) return [];
    return [[to, Array.isArray(value) && value.length === 1 ? value[0] : value]];
  });
  return Object.fromEntries(entries) as JcalRule;
}

/** RDATE or EXDATE as the interface has them: days, or times in the zone of the start. A period is when it begins. */
export function datesOf(
  component: JcalComponent,
  name: 'rdate' | 'exdate',
  start: EventTime,
  zones: FieldZones,
): string[] {
  return propertiesOf(component, name).flatMap((property) => datesIn(property, start, zones));
}

export function datesIn(property: JcalProperty, start: EventTime, zones: FieldZones): string[] {
  return valuesOf(property).flatMap((value) => {
    const time = timeText(value);
    return isTime(time) ? [inZoneOf(eventTimeOf(time, paramOf(property, 'tzid'), zones), start, zones)] : [];
  });
}

const lineNames = new Set(['rrule', 'exrule', 'rdate', 'exdate']);

/** Lines of iCalendar that say when an event happens again. */
export function recurrenceLinesOf([, properties]: JcalComponent): string[] {
  return properties.filter(([name]) => lineNames.has(name)).map(lineOfProperty);
}

function lineOfProperty(property: JcalProperty): string {
  const [name, , type] = property;
  const rule = name.endsWith('rule') ? jcalRuleOf(property) : undefined;
  if (rule !== undefined) return `${name.toUpperCase()}:${ruleToText(rule)}`;
  const tzid = paramOf(property, 'tzid');
  const zone = tzid === undefined ? '' : `;TZID=${/[,:;]/.test(tzid) ? `"${tzid}"` : tzid}`;
  const typed = type === 'date' || type === 'period' ? `;VALUE=${type.toUpperCase()}` : '';
  const values = valuesOf(property).map((value) =>
    [value]
      .flat()
      .map((one) => timeToText(valueText(one)))
      .join('/'),
  );
  return `${name.toUpperCase()}${typed}${zone}:${values.join(',')}`;
}

export function isRecurring(component: JcalComponent): boolean {
  return propertyOf(component, 'rrule') !== undefined || propertyOf(component, 'rdate') !== undefined;
}

/** The UID of the series that this one goes on with. */
const splitType = 'X-CONCLAVE-SPLIT-FROM';

export function splitFromOf(component: JcalComponent): string | undefined {
  const found = propertiesOf(component, 'related-to').find(
    (property) => paramOf(property, 'reltype')?.toUpperCase() === splitType,
  );
  return found === undefined ? undefined : textOf(found);
}

export function withSplitFrom(component: JcalComponent, uid: string): JcalComponent {
  const [name, properties, components] = component;
  const others = properties.filter((property) => splitFromOf([name, [property], []]) === undefined);
  return [name, [...others, ['related-to', { reltype: splitType }, 'text', uid]], components];
}
