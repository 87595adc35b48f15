import {
  componentsOf,
  paramOf,
  propertiesOf,
  timeText,
  valuesOf,
  valueText,
  type JcalComponent,
  type JcalProperty,
} from './jcal.ts';
import { lineOf, ownPrefix } from './text/lines-of-property.ts';
import { isTime } from './text/times.ts';
import { nameOf, zonesNamedIn } from './zones/definition.ts';
import { zonesIn } from './zones/resolve.ts';
import { vtimezone } from './zones/vtimezone.ts';
import type { Zones } from './zones/zone-times.ts';

/** What a file says of the calendar. */
export interface WrittenCalendar {
  readonly name?: string;
  readonly description?: string;
  readonly color?: string;
  readonly timezone?: string;
  /** of iTIP: REQUEST, REPLY, … */
  readonly method?: string;
}

export const prodid = '-//Conclave//Conclave//EN';
/** characters of a chunk, about */
const chunk = 65_536;

/**
 * Writes objects as one calendar (RFC 5545), in chunks: each zone once, before the first event that names it.
 *
 * @param objects `['vcalendar', properties, components]`, one after another
 */
export async function* calendarText(
  objects: AsyncIterable<JcalComponent> | Iterable<JcalComponent>,
  known: Zones,
  about: WrittenCalendar = {},
): AsyncGenerator<string> {
  const zones = new WrittenZones(known);
  let text = begin(about);
  for await (const object of objects) {
    text += zones.componentsOf(object).map(componentText).join('');
    if (text.length < chunk) continue;
    yield text;
    text = '';
  }
  yield `${text}END:VCALENDAR\r\n`;
}

/** Writes one object as a file of its own, as for DAV and mail. */
export function objectText(object: JcalComponent, zones: Zones, about: WrittenCalendar = {}): string {
  return `${begin(about)}${new WrittenZones(zones, earliestYear(object)).componentsOf(object).map(componentText).join('')}END:VCALENDAR\r\n`;
}

/** The definition of a zone as a file of its own, from the year before a moment on. */
export function zoneText(zone: string, zones: Zones, at: Date): string {
  const since = Math.min(at.getUTCFullYear() - 1, 2036);
  return `${begin({})}${componentText(vtimezone(zone, zone, zones, since))}END:VCALENDAR\r\n`;
}

function begin({ name, description, color, timezone, method }: WrittenCalendar): string {
  const said: readonly (JcalProperty | undefined)[] = [
    ['version', {}, 'text', '2.0'],
    ['prodid', {}, 'text', prodid],
    ['calscale', {}, 'text', 'GREGORIAN'],
    method === undefined ? undefined : ['method', {}, 'text', method],
    name === undefined ? undefined : ['x-wr-calname', {}, 'text', name],
    description === undefined || description === '' ? undefined : ['x-wr-caldesc', {}, 'text', description],
    timezone === undefined ? undefined : ['x-wr-timezone', {}, 'text', timezone],
    color === undefined ? undefined : ['x-apple-calendar-color', {}, 'text', color],
  ];
  const lines = said.flatMap((property) => (property === undefined ? [] : lineOf(plainly(property))));
  return `BEGIN:VCALENDAR\r\n${lines.join('')}`;
}

/** Nobody writes a type after the names that begin with X-, though their values are escaped as text is. */
function plainly([name, params, type, value = '']: JcalProperty): JcalProperty {
  const text = valueText(value);
  if (!name.startsWith('x-')) return [name, params, type, text];
  return [name, params, 'unknown', text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r\n?|\n/g, '\\n')];
}

/** Components of objects as those of one calendar: each zone once, before the first event that names it. What is only for this node is left out. */
export function componentsWritten(known: Zones): (object: JcalComponent) => JcalComponent[] {
  const zones = new WrittenZones(known);
  return (object) => zones.componentsOf(object).map(forOthers);
}

function propertyForOthers([name, params, type, ...values]: JcalProperty): JcalProperty {
  const given = Object.entries(params).filter(([param]) => !param.startsWith(ownPrefix));
  return [name, Object.fromEntries(given), type, ...values];
}

function forOthers([name, properties, components]: JcalComponent): JcalComponent {
  const shown = properties.filter(([one]) => !one.startsWith(ownPrefix)).map(propertyForOthers);
  return [name, shown, components.map(forOthers)];
}

/** A component as its lines, in which times name zones that are described elsewhere. */
export function componentText([name, properties, components]: JcalComponent): string {
  const safe = name.toUpperCase().replaceAll(/[^A-Z0-9-]/g, '');
  const lines = properties.filter(([one]) => !one.startsWith(ownPrefix)).map(lineOf);
  return `BEGIN:${safe}\r\n${lines.join('')}${components.map(componentText).join('')}END:${safe}\r\n`;
}

function withZones(component: JcalComponent, renamed: ReadonlyMap<string, string>): JcalComponent {
  if (renamed.size === 0) return component;
  const [name, properties, components] = component;
  return [
    name,
    properties.map((property) => withZone(property, renamed)),
    components.map((inner) => withZones(inner, renamed)),
  ];
}

function withZone(property: JcalProperty, renamed: ReadonlyMap<string, string>): JcalProperty {
  const [name, params, type, ...values] = property;
  const to = renamed.get(paramOf(property, 'tzid') ?? '');
  return to === undefined ? property : [name, { ...params, tzid: to }, type, ...values];
}

/** The zones that a file has until now. Two that are called alike and aren't, such as "Customized Time Zone", get two names. */
class WrittenZones {
  /** what was written, by TZID */
  readonly #written = new Map<string, string>();
  /** what names mean, looked up once */
  readonly #names = new Map<string, string | undefined>();
  readonly #known = new Map<string, boolean>();
  readonly #zones: Zones;
  readonly #since: number;

  constructor(zones: Zones, since = 1970) {
    this.#zones = zones;
    this.#since = since;
  }

  /** @returns what stands in the file of an object: definitions of its zones that are not there already, and its own components */
  componentsOf(object: JcalComponent): JcalComponent[] {
    const { definitions, renamed } = this.#take(object);
    const [, , components] = object;
    return [
      ...definitions,
      ...components.filter(([name]) => name !== 'vtimezone').map((one) => withZones(one, renamed)),
    ];
  }

  #take(object: JcalComponent): { definitions: JcalComponent[]; renamed: Map<string, string> } {
    const definitions: JcalComponent[] = [];
    const renamed = new Map<string, string>();
    const given = new Map(componentsOf(object, 'vtimezone').map((zone) => [nameOf(zone), zone]));
    const zoneOf = zonesIn(object, this.#zones, this.#names);
    for (const tzid of zonesNamedIn(['vcalendar', [], object[2].filter(([name]) => name !== 'vtimezone')])) {
      // The database says what its own names mean; other names mean what they come with.
      const own = this.#isKnown(tzid) ? undefined : given.get(tzid);
      const said = own === undefined ? '' : JSON.stringify(own);
      const name = this.#nameFor(tzid, said);
      if (name !== tzid) renamed.set(tzid, name);
      if (this.#written.has(name)) continue;
      this.#written.set(name, said);
      const zone = zoneOf(tzid);
      const definition = own ?? (zone === undefined ? undefined : vtimezone(tzid, zone, this.#zones, this.#since));
      if (definition !== undefined) definitions.push(called(definition, name));
    }
    return { definitions, renamed };
  }

  #isKnown(tzid: string): boolean {
    const known = this.#known.get(tzid) ?? this.#zones.named(tzid) !== undefined;
    this.#known.set(tzid, known);
    return known;
  }

  #nameFor(tzid: string, said: string): string {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? tzid : `${tzid} ${count}`;
      const written = this.#written.get(name);
      if (written === undefined || written === said) return name;
    }
  }
}

function called([kind, properties, components]: JcalComponent, name: string): JcalComponent {
  const named = properties.map((one): JcalProperty => (one[0] === 'tzid' ? ['tzid', one[1], 'text', name] : one));
  return [kind, named, components];
}

/** The first year for which a zone of the object must be described, so that the description of a new event is short. */
function earliestYear([, , components]: JcalComponent): number {
  const starts = components
    .filter(([name]) => name !== 'vtimezone')
    .flatMap((component) =>
      ['dtstart', 'due', 'recurrence-id', 'rdate', 'exdate'].flatMap((name) => propertiesOf(component, name)),
    )
    .flatMap((property) => valuesOf(property).map(timeText))
    .filter(isTime);
  const [first = '1970'] = starts.toSorted();
  return Math.min(Math.max(new Date(`${first.slice(0, 4)}-01-01`).getUTCFullYear() - 1, 1970), 2036);
}
