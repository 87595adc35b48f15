import { jcalRuleFrom } from '../icalendar/fields/recurrence.ts';
import { timeProperty } from '../icalendar/fields/time-property.ts';
import type { EventTime } from '../icalendar/fields/times.ts';
import { propertyOf, valueText, withProperties, type JcalComponent, type JcalProperty } from '../icalendar/jcal.ts';
import { instanceTimes, startTimeOf, type InstanceTimes } from '../recurrence/instance-times.ts';
import type { ExtraDate, Series, When } from '../recurrence/series.ts';
import { formatSpan } from '../recurrence/span.ts';
import type { ObjectZones } from './known-zones.ts';
import type { ChangedInstance } from './series.ts';

/** A series with rule, dates and changed instances as the engine of recurrence has them; all else of its components stays. */
export function withSeries(
  object: JcalComponent,
  master: JcalComponent,
  series: Series<ChangedInstance>,
  zones: ObjectZones,
): JcalComponent {
  const [name, properties, components] = object;
  const others = components.filter(([kind]) => kind !== 'vevent');
  const overrides = series.overrides.map((override) => overrideComponent(override, series, zones));
  return [name, properties, [...others, withRules(master, series, zones), ...overrides]];
}

function withRules(master: JcalComponent, series: Series<ChangedInstance>, zones: ObjectZones): JcalComponent {
  const rules = series.rules.map((rule): JcalProperty => ['rrule', {}, 'recur', jcalRuleFrom(rule)]);
  const like = propertyOf(master, 'dtstart');
  const dates = (kind: 'rdate' | 'exdate', all: readonly ExtraDate[]): JcalComponent =>
    withProperties(
      changed,
      [kind],
      all.map((date) => dateProperty(kind, date, series, like, zones)),
    );
  let changed = withProperties(master, ['rrule'], rules);
  changed = dates('rdate', series.rdates);
  changed = dates('exdate', series.exdates);
  return changed;
}

function dateProperty(
  kind: 'rdate' | 'exdate',
  date: ExtraDate,
  series: Pick<Series, 'zone'>,
  like: JcalProperty | undefined,
  zones: ObjectZones,
): JcalProperty {
  const [name, params, type, value] = timeProperty(kind, timeOf(date, series), withoutType(like), zones);
  const end = date.end ?? (date.duration === undefined ? undefined : formatSpan(date.duration));
  if (end === undefined) return [name, params, type, value ?? ''];
  return [name, params, 'period', [valueText(value ?? ''), end]];
}

/** Only the name of a zone is alike in all times of an event. */
function withoutType(like: JcalProperty | undefined): JcalProperty | undefined {
  const tzid = like?.[1]['tzid'];
  return like === undefined || tzid === undefined ? undefined : [like[0], { tzid }, like[2]];
}

function timeOf({ at, zone }: When, series: Pick<Series, 'zone'>): EventTime {
  if (at.endsWith('Z')) return { time: at.slice(0, -1), zone: 'UTC' };
  if (!at.includes('T')) return { time: at };
  return inZone(at, zone ?? series.zone);
}

function inZone(time: string, zone: string): EventTime {
  if (zone === 'floating') return { time };
  return { time: time.replace(/Z$/, ''), zone: zone === 'utc' ? 'UTC' : zone };
}

function overrideComponent(
  override: ChangedInstance,
  series: Series<ChangedInstance>,
  zones: ObjectZones,
): JcalComponent {
  const zone = override.zone ?? series.zone;
  const start = startTimeOf(override.start, zone, zones.zones);
  const times = instanceTimes(start, override.duration, { zones: zones.zones, zone: zones.zone });
  const like = withoutType(propertyOf(override.component, 'recurrence-id'));
  const id = timeProperty('recurrence-id', timeOf(override.recurrence, series), like, zones);
  return withTimes(withProperties(override.component, ['recurrence-id'], [id]), times, zones);
}

/** An event that begins and ends then. */
export function withTimes(component: JcalComponent, times: InstanceTimes, zones: ObjectZones): JcalComponent {
  const { allDay, startAt, endAt, zone } = times;
  const of = (at: string): EventTime => (allDay ? { time: at } : inZone(at, zone));
  const like = withoutType(propertyOf(component, 'dtstart'));
  const start = timeProperty('dtstart', of(startAt), like, zones);
  const end = timeProperty('dtend', of(endAt), like, zones);
  return withProperties(component, ['dtstart', 'dtend', 'duration'], [start, end]);
}
