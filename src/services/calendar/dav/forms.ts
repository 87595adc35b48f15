import type { CalendarForm, ComponentParts, DavRange } from '../../../service/ports/dav-filters.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { withProperties, type JcalComponent, type JcalProperty } from '../icalendar/jcal.ts';
import { zonesOfObject } from '../objects/known-zones.ts';
import { seriesOf, type ChangedInstance } from '../objects/series.ts';
import { expand } from '../recurrence/expand.ts';
import type { Instance } from '../recurrence/open-series.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import type { Zones } from '../recurrence/zones.ts';

/** Where times of an object are read. */
interface Clock {
  readonly zones: Zones;
  /** of the calendar */
  readonly zone: string;
}

/** An object in the form in which a program wants it. Tasks and journals stay as they are. */
export function inForm(object: JcalComponent, { parts, ...times }: CalendarForm, clock: Clock): JcalComponent {
  const whole = inTimes(object, times, clock);
  return parts === undefined ? whole : partOf(whole, parts);
}

function inTimes(object: JcalComponent, { expand: range, limit }: CalendarForm, clock: Clock): JcalComponent {
  if (range !== undefined) return expanded(object, range, clock);
  return limit === undefined ? object : limited(object, limit, clock);
}

function partOf([kind, properties, components]: JcalComponent, parts: ComponentParts): JcalComponent {
  return [
    kind,
    parts.props === undefined
      ? properties
      : properties.map((one) => propertyIn(one, parts.props)).filter((one) => one !== undefined),
    components.flatMap((inner) => {
      if (parts.components === undefined) return [inner];
      const wanted = parts.components.get(inner[0].toUpperCase());
      return wanted === undefined ? [] : [partOf(inner, wanted)];
    }),
  ];
}

function propertyIn(property: JcalProperty, wanted: ComponentParts['props']): JcalProperty | undefined {
  const [name, params] = property;
  const how = wanted?.get(name.toUpperCase());
  if (how === undefined) return undefined;
  return how.noValue ? [name, params, 'unknown', ''] : property;
}

/** Characters that the instances of one object may have, about: with a long description, few instances have many. */
const MOST = 4 * 1024 ** 2;

/** Instances in place of a rule, in UTC (RFC 4791 9.6.5). If there are too many of them, the rule stays. */
function expanded(object: JcalComponent, { from, to }: Required<DavRange>, { zones, zone }: Clock): JcalComponent {
  const [kind, properties, components] = object;
  if (!components.some(([name]) => name === 'vevent')) return object;
  const { master, series } = seriesOf(object, zonesOfObject(zones, zone, object));
  const isSeries = series.rules.length + series.rdates.length + series.overrides.length > 0;
  try {
    const range = { from, to, limit: calendarLimits.instances };
    const { instances, complete } = expand(series, range, { zones, zone });
    if (!complete || instances.length * JSON.stringify(components).length > MOST) return object;
    const shown = instances.flatMap((instance) => {
      const component = instance.override?.component ?? master;
      return component === undefined ? [] : [inUtc(component, instance, isSeries)];
    });
    return [kind, properties, shown];
  } catch (error) {
    // A rule that takes too much work stays a rule.
    if (error instanceof RuleError) return object;
    throw error;
  }
}

function inUtc(component: JcalComponent, instance: Instance<ChangedInstance>, isSeries: boolean): JcalComponent {
  const { allDay, zone, startAt, endAt, start, end, recurrence } = instance;
  const time = (name: string, wall: string, at: number): JcalProperty => {
    if (allDay) return [name, {}, 'date', wall.slice(0, 10)];
    return [name, {}, 'date-time', zone === 'floating' ? wall.slice(0, 19) : utcText(at)];
  };
  const id: JcalProperty = recurrence.at.includes('T')
    ? ['recurrence-id', {}, 'date-time', zone === 'floating' ? recurrence.at.slice(0, 19) : utcText(recurrence.key)]
    : ['recurrence-id', {}, 'date', recurrence.at];
  const plain = withProperties(component, ['rrule', 'exrule', 'rdate', 'exdate', 'recurrence-id', 'duration'], []);
  const times = [time('dtstart', startAt, start), time('dtend', endAt, end), ...(isSeries ? [id] : [])];
  return withProperties(plain, ['dtstart', 'dtend'], times);
}

function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The rule, and of changed instances those within the range (RFC 4791 9.6.6). */
function limited(object: JcalComponent, { from, to }: Required<DavRange>, { zones, zone }: Clock): JcalComponent {
  const [kind, properties, components] = object;
  const { master, series } = seriesOf(object, zonesOfObject(zones, zone, object));
  if (master === undefined || series.overrides.length === 0) return object;
  try {
    const { instances } = expand(series, { from, to, limit: calendarLimits.instances }, { zones, zone });
    const within = new Set(instances.map(({ override }) => override?.component));
    // A cancelled one is no instance, and takes one away.
    const cancelled = new Set(series.overrides.filter((one) => one.cancelled === true).map((one) => one.component));
    const kept = components.filter(
      (one) => one[0] !== 'vevent' || one === master || within.has(one) || cancelled.has(one),
    );
    return [kind, properties, kept];
  } catch (error) {
    if (error instanceof RuleError) return object;
    throw error;
  }
}
