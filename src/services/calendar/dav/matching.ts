import { davRefusal, matchesProperties, type SeenProperty } from '../../../service/dav-matching.ts';
import type { CalendarFilter, DavRange, PropFilter } from '../../../service/ports/dav-filters.ts';
import {
  propertiesOf,
  propertyOf,
  textOf,
  timeText,
  valuesOf,
  valueText,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';
import { eventTimeOf, instantOfTime, spanOf, timeOfProperty, type FieldZones } from '../icalendar/fields/times.ts';
import { durationOf, isTime } from '../icalendar/text/times.ts';

/** Components of which a range of times is compared. Alarms follow their events, and no program looks for them. */
const ranged: ReadonlySet<string> = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY']);

/** @throws Problem forbidden FORBIDDEN with `c:supported-filter` */
export function assertSupported({ components }: CalendarFilter): void {
  for (const inner of components) {
    if (inner.range !== undefined && !ranged.has(inner.name)) {
      const message = `Events cannot be found by the time of their ${inner.name}.`;
      throw davRefusal('forbidden', 'FORBIDDEN', 'c:supported-filter', message);
    }
    assertSupported(inner);
  }
}

/** Whether an object is as a filter wants it (RFC 4791 9.7.1). Ranges of events are the caller's: they follow the rules of series. */
export function matchesObject(
  filter: CalendarFilter,
  object: JcalComponent,
  zones: FieldZones,
  isInRange: (range: DavRange) => boolean,
): boolean {
  const clock = { ...zones, isInRange };
  return matchesInside(filter, object, clock);
}

interface Clock extends FieldZones {
  readonly isInRange: (range: DavRange) => boolean;
}

function matchesInside({ props, components }: CalendarFilter, component: JcalComponent, clock: Clock): boolean {
  return (
    props.every((filter) => matchesProp(filter, component, clock)) &&
    components.every((filter) => matchesChild(filter, component, clock))
  );
}

function matchesChild(filter: CalendarFilter, [, , components]: JcalComponent, clock: Clock): boolean {
  const found = components.filter(([name]) => name.toUpperCase() === filter.name);
  if (filter.absent) return found.length === 0;
  const { range } = filter;
  if (range !== undefined && filter.name === 'VEVENT' && !clock.isInRange(range)) return false;
  return found.some(
    (component) =>
      (range === undefined || filter.name === 'VEVENT' || overlaps(component, range, clock)) &&
      matchesInside(filter, component, clock),
  );
}

function matchesProp(filter: PropFilter, component: JcalComponent, clock: Clock): boolean {
  const found = propertiesOf(component, filter.name.toLowerCase());
  const { range } = filter;
  const within =
    range === undefined || filter.absent
      ? found
      : found.filter((one) => valuesOf(one).some((value) => isWithin(one, value, range, clock)));
  return matchesProperties(filter, within.map(seen));
}

function seen(property: JcalProperty): SeenProperty {
  const [, params] = property;
  const values = valuesOf(property).map(valueText);
  return {
    text: values.length === 1 ? textOf(property) : values.join(','),
    params(name) {
      const value = Object.hasOwn(params, name.toLowerCase()) ? params[name.toLowerCase()] : undefined;
      return value === undefined ? [] : [value].flat();
    },
  };
}

function isWithin(
  property: JcalProperty,
  value: Parameters<typeof timeText>[0],
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: DavRange,
  zones: FieldZones,
): boolean {
  const text = timeText(value);
  if (!isTime(text)) return false;
  const tzid = property[1]['tzid'];
  const at = instantOfTime(eventTimeOf(text, typeof tzid === 'string' ? tzid : undefined, zones), zones);
  return at >= from && at < to;
}

/** Whether a task or a journal is in a range (RFC 4791 9.9). A task that comes again is from its begin on. */
function overlaps(
  component: JcalComponent,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: DavRange,
  zones: FieldZones,
): boolean {
  const at = (name: string): number | undefined => {
    const property = propertyOf(component, name);
    if (property === undefined || !isTime(textOf(property))) return undefined;
    return instantOfTime(timeOfProperty(property, zones), zones);
  };
  const start = at('dtstart');
  if (component[0] !== 'vtodo') {
    const span = start === undefined ? undefined : spanOf(component, zones);
    return span !== undefined && span.startAt < to && (span.endAt > from || span.startAt >= from);
  }
  if (propertyOf(component, 'rrule') !== undefined && start !== undefined) return start < to;
  const due = at('due');
  const length = durationOf(textOf(propertyOf(component, 'duration')));
  if (start !== undefined && length !== undefined) {
    const end = start + length.days * 86_400_000 + length.seconds * 1000;
    return from <= end && (to > start || to >= end);
  }
  if (start !== undefined && due !== undefined) return (from < due || from <= start) && (to > start || to >= due);
  if (start !== undefined) return from <= start && to > start;
  if (due !== undefined) return from < due && to >= due;
  const [completed, created] = [at('completed'), at('created')];
  if (completed !== undefined && created !== undefined)
    return (from <= created || from <= completed) && (to >= created || to >= completed);
  if (completed !== undefined) return from <= completed && to >= completed;
  return created === undefined || to > created;
}
