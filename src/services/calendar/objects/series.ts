import type { RuleObject } from '../../../contract/calendar/recurrence.ts';
import { jcalRuleOf, ruleObjectOf } from '../icalendar/fields/recurrence.ts';
import { eventTimeOf, spanOf, type EventSpan, type EventTime, type FieldZones } from '../icalendar/fields/times.ts';
import {
  componentsOf,
  paramOf,
  propertiesOf,
  propertyOf,
  textOf,
  timeText,
  valuesOf,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';
import { durationOf, isTime } from '../icalendar/text/times.ts';
import { checkRule } from '../recurrence/rule-text.ts';
import type { ExtraDate, Override, Series, When } from '../recurrence/series.ts';
import type { Span } from '../recurrence/span.ts';

/** An instance that was changed by itself, with its component. */
export interface ChangedInstance extends Override {
  readonly component: JcalComponent;
}

export interface ObjectSeries {
  /** the event or series; undefined if only instances of it are here, as after an invitation to one of them */
  readonly master: JcalComponent | undefined;
  /** when the master happens */
  readonly span: EventSpan | undefined;
  readonly series: Series<ChangedInstance>;
}

/** When an event of an object happens, as the engine of recurrence has it. What cannot be read of a rule or date is left out. */
export function seriesOf(object: JcalComponent, zones: FieldZones): ObjectSeries {
  const events = componentsOf(object, 'vevent');
  const master = events.find((event) => propertyOf(event, 'recurrence-id') === undefined);
  const overrides = events.flatMap((event) => overrideOf(event, zones) ?? []);
  const none = { zone: 'utc', duration: { days: 0, ms: 0 }, rules: [], rdates: [], exdates: [], overrides };
  const span = master === undefined ? undefined : spanOf(master, zones);
  if (master === undefined || span === undefined)
    return { master, span, series: { ...none, ...zoneOfFirst(overrides) } };
  const { start } = span;
  return {
    master,
    span,
    series: {
      start: atOf(start),
      zone: zoneOfSeries(start),
      duration: lengthOf(span.duration, span),
      rules: rulesOf(master),
      rdates: propertiesOf(master, 'rdate').flatMap((property) => datesOf(property, zones)),
      exdates: propertiesOf(master, 'exdate').flatMap((property) => datesOf(property, zones)),
      overrides,
    },
  };
}

function overrideOf(component: JcalComponent, zones: FieldZones): ChangedInstance | undefined {
  const property = propertyOf(component, 'recurrence-id');
  const span = property === undefined ? undefined : spanOf(component, zones);
  if (property === undefined || span === undefined || !isTime(textOf(property))) return undefined;
  const { start } = span;
  return {
    recurrence: whenOf(eventTimeOf(textOf(property), paramOf(property, 'tzid'), zones)),
    start: atOf(start),
    zone: zoneOfSeries(start),
    duration: lengthOf(span.duration, span),
    cancelled: textOf(propertyOf(component, 'status')).toUpperCase() === 'CANCELLED',
    component,
  };
}

function zoneOfFirst([first]: readonly ChangedInstance[]): { zone?: string } {
  return first?.recurrence.zone === undefined ? {} : { zone: first.recurrence.zone };
}

/** Of a rule that is none nothing is kept: the event then happens once. */
function rulesOf(master: JcalComponent): RuleObject[] {
  return propertiesOf(master, 'rrule').flatMap((property) => {
    const rule = jcalRuleOf(property);
    if (rule === undefined) return [];
    try {
      return [checkRule(ruleObjectOf(rule))];
    } catch {
      return [];
    }
  });
}

function datesOf(property: JcalProperty, zones: FieldZones): ExtraDate[] {
  return valuesOf(property).flatMap((value): ExtraDate[] => {
    const [begin = '', end] = Array.isArray(value) ? value.map(String) : [timeText(value)];
    if (!isTime(begin)) return [];
    const tzid = paramOf(property, 'tzid');
    const when = whenOf(eventTimeOf(begin, tzid, zones));
    const length = end === undefined ? undefined : durationOf(end);
    if (length !== undefined) return [{ ...when, duration: { days: length.days, ms: length.seconds * 1000 } }];
    if (end === undefined || !isTime(end)) return [when];
    return [{ ...when, end: atOf(eventTimeOf(end, tzid, zones)) }];
  });
}

function whenOf(time: EventTime): When {
  return { at: atOf(time), ...(time.zone !== undefined && time.zone !== 'UTC' && { zone: time.zone }) };
}

function atOf({ time, zone }: EventTime): string {
  return zone === 'UTC' ? `${time}Z` : time;
}

function zoneOfSeries({ zone }: EventTime): string {
  if (zone === 'UTC') return 'utc';
  return zone ?? 'floating';
}

/** Days of DURATION are days of the calendar; what DTEND says is exact. */
function lengthOf(
  duration: string,
  { startAt, endAt, start }: { startAt: number; endAt: number; start: EventTime },
): Span {
  const said = durationOf(duration);
  if (said !== undefined && (said.days > 0 || !start.time.includes('T')))
    return { days: said.days, ms: said.seconds * 1000 };
  return { days: 0, ms: endAt - startAt };
}
