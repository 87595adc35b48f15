import type { GivenEvent } from '../../../../contract/calendar/event.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import {
  paramOf,
  propertiesOf,
  propertyOf,
  valuesOf,
  withProperties,
  type JcalComponent,
  type JcalProperty,
  type JcalRule,
} from '../jcal.ts';
import { ruleFromText } from '../text/rules.ts';
import { durationOf, isDay, isTime, isUtc, timeFromText } from '../text/times.ts';
import { readTime } from './given-times.ts';
import { datesIn, jcalRuleFrom } from './recurrence.ts';
import { timeProperty } from './time-property.ts';
import { eventTimeOf, instantOfTime, isoInstant, spanOf, type EventTime, type FieldZones } from './times.ts';

const names = ['rrule', 'exrule', 'rdate', 'exdate'];

/**
 * The component with the rule and the dates that were given. Whether the rule makes sense is not looked at here, only whether it is one.
 *
 * @param component which has its times already
 * @throws Problem invalid VALIDATION_ERROR
 */
export function withRecurrence(component: JcalComponent, given: GivenEvent, zones: FieldZones): JcalComponent {
  const { recurrence, rrule, rdates, exdates } = given;
  const start = spanOf(component, zones)?.start;
  if (start === undefined) return component;
  if (recurrence !== undefined) {
    if (rrule !== undefined || rdates !== undefined || exdates !== undefined)
      throw fieldProblem('recurrence', 'cannot be given together with rrule, rdates or exdates');
    const properties = recurrence.map((line, at) => propertyOfLine(line, `recurrence.${at}`, start, zones));
    if (properties.filter(([name]) => name === 'rrule').length > 1)
      throw fieldProblem('recurrence', 'must have at most one RRULE');
    return withProperties(component, names, properties);
  }
  let changed = component;
  if (rrule !== undefined) changed = withProperties(changed, ['rrule'], ruleProperties(rrule, start, zones));
  if (rdates !== undefined) changed = withDates(changed, 'rdate', rdates, start, zones);
  return exdates === undefined ? changed : withDates(changed, 'exdate', exdates, start, zones);
}

const noRule = 'must be a rule such as FREQ=WEEKLY;BYDAY=MO,WE';

function ruleProperties(
  given: NonNullable<GivenEvent['rrule']> | null,
  start: EventTime,
  zones: FieldZones,
): JcalProperty[] {
  if (given === null) return [];
  const rule = typeof given === 'string' ? ruleFromText(given.replace(/^RRULE:/i, '')) : jcalRuleFrom(given);
  if (rule === undefined) throw fieldProblem('rrule', noRule);
  return [['rrule', {}, 'recur', checkedRule(rule, 'rrule', start, zones)]];
}

/** UNTIL is a day if the start is one, floats if it does, and is UTC otherwise (RFC 5545 3.3.10); people write all of them. */
function checkedRule(rule: JcalRule, path: string, start: EventTime, zones: FieldZones): JcalRule {
  const { count, until } = rule;
  if (until === undefined) return rule;
  if (count !== undefined) throw fieldProblem(path, 'cannot have both count and until');
  if (typeof until !== 'string') throw fieldProblem(path, noRule);
  const path2 = `${path}.until`;
  const whole = isDay(until) && !isDay(start.time);
  // The last day is one of those on which it happens.
  const text = whole ? `${until}T23:59:59` : until;
  const floats = !isDay(start.time) && start.zone === undefined;
  const time = readTime({ text, path: path2 }, isDay(start.time), start.zone, { ...zones, floats });
  if (time.zone === undefined) return { ...rule, until: time.time };
  return { ...rule, until: isoInstant(instantOfTime(time, zones)).replace('.000', '') };
}

/** A line such as `EXDATE;TZID=Europe/Berlin:20260329T120000`. */
function propertyOfLine(line: string, path: string, start: EventTime, zones: FieldZones): JcalProperty {
  const parts = /^(RRULE|EXRULE|RDATE|EXDATE)((?:;[A-Za-z-]+=(?:"[^"]*"|[^";:]*))*):(.+)$/i.exec(line);
  if (parts === null) throw fieldProblem(path, 'must be a line such as RRULE:FREQ=WEEKLY or EXDATE:20260329T120000Z');
  const [, word = '', params = '', value = ''] = parts;
  const name = word.toLowerCase();
  if (name.endsWith('rule')) {
    const rule = ruleFromText(value);
    if (rule === undefined) throw fieldProblem(path, noRule);
    return [name, {}, 'recur', checkedRule(rule, path, start, zones)];
  }
  const tzid = /;TZID=(?:"([^"]*)"|([^";:]*))/i
    .exec(params)
    ?.slice(1)
    .find((one) => one !== undefined);
  if (tzid !== undefined && zones.zones.named(tzid) === undefined && zones.zoneOf(tzid) === undefined)
    throw fieldProblem(path, 'must have a TZID that is an IANA time zone, such as Europe/Berlin');
  const all = value.split(',').map((one) => valueOf(one.trim(), path));
  const [first] = all;
  const type = Array.isArray(first) ? 'period' : isDay(String(first)) ? 'date' : 'date-time';
  return [name, tzid === undefined ? {} : { tzid }, type, ...all];
}

function valueOf(text: string, path: string): string | string[] {
  const parts = text.split('/').map(timeFromText);
  const [start = '', end] = parts;
  const good =
    isTime(start) && (end === undefined || isTime(end) || durationOf(end) !== undefined) && parts.length <= 2;
  if (!good) throw fieldProblem(path, 'must have days or times that exist, such as 20260329T120000Z');
  return end === undefined ? start : parts;
}

/** The dates as given; those that were there stay as they are, with the ends of periods and the zones that they were written in. */
function withDates(
  component: JcalComponent,
  name: 'rdate' | 'exdate',
  given: readonly string[],
  start: EventTime,
  zones: FieldZones,
): JcalComponent {
  const path = `${name}s`;
  const allDay = isDay(start.time);
  const floats = !allDay && start.zone === undefined;
  const existing = new Set(propertiesOf(component, name).flatMap((property) => datesIn(property, start, zones)));
  const wanted = new Set(
    given.map((text, at) =>
      // What an import brought comes back as it was shown.
      existing.has(text)
        ? text
        : readTime({ text, path: `${path}.${at}` }, allDay, start.zone, { ...zones, floats }).time,
    ),
  );
  const kept = propertiesOf(component, name).flatMap((property) => keptDates(property, wanted, start, zones));
  const added = [...wanted].filter((time) => !existing.has(time));
  return withProperties(component, [name], [...kept, ...newDates(name, added, start, component, zones)]);
}

function keptDates(
  property: JcalProperty,
  wanted: ReadonlySet<string>,
  start: EventTime,
  zones: FieldZones,
): JcalProperty[] {
  const [name, params, type] = property;
  const values = valuesOf(property).filter((value) =>
    datesIn([name, params, type, value], start, zones).some((date) => wanted.has(date)),
  );
  return values.length === 0 ? [] : [[name, params, type, ...values]];
}

function newDates(
  name: string,
  times: readonly string[],
  start: EventTime,
  component: JcalComponent,
  zones: FieldZones,
): JcalProperty[] {
  const [first, ...others] = times;
  if (first === undefined) return [];
  // In the same zone, spelled as the start spells it.
  const dtstart = propertyOf(component, 'dtstart');
  const tzid = dtstart === undefined ? undefined : paramOf(dtstart, 'tzid');
  const like: JcalProperty | undefined = tzid === undefined ? undefined : [name, { tzid }, 'date-time'];
  const of = (time: string): JcalProperty => timeProperty(name, { ...start, time }, like, zones);
  return [[...of(first), ...others.flatMap((time) => valuesOf(of(time)))] as unknown as JcalProperty];
}

/** A time at which an instance is, as RECURRENCE-ID of it. @throws Problem invalid VALIDATION_ERROR with `recurrenceId` */
export function recurrenceIdOf(master: JcalComponent, text: string, zones: FieldZones): JcalProperty {
  const start = spanOf(master, zones)?.start ?? eventTimeOf(timeFromText(text), undefined, zones);
  const allDay = isDay(start.time);
  const floats = !allDay && start.zone === undefined;
  const zone = isUtc(text) ? (start.zone ?? zones.zone) : start.zone;
  const time = readTime({ text, path: 'recurrenceId' }, allDay, zone, { ...zones, floats });
  const dtstart = propertyOf(master, 'dtstart');
  const like: JcalProperty | undefined = dtstart && ['recurrence-id', paramsOfZone(dtstart), 'date-time'];
  return timeProperty('recurrence-id', time, like, zones);
}

function paramsOfZone(property: JcalProperty): { tzid?: string } {
  const tzid = paramOf(property, 'tzid');
  return tzid === undefined ? {} : { tzid };
}
