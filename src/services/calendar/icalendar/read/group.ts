import { propertyOf, textOf, withProperties, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { zonesNamedIn } from '../zones/definition.ts';
import { resolveZone, withResolvedZone, type ResolvedZone } from '../zones/resolve.ts';
import type { Zones } from '../zones/zone-times.ts';
import { flawOf, oddityOf } from './check.ts';
import { readComponent } from './component.ts';
import { readLimits } from './limits.ts';
import type { ReadProblem } from './problem.ts';
import type { Group, ReadResult } from './result.ts';
import type { Found, FoundCalendar } from './scan.ts';

interface Source {
  readonly calendars: readonly FoundCalendar[];
  /** of the calendar in which the first component stands */
  readonly properties: readonly JcalProperty[];
  readonly definitions: Definitions;
  readonly zones: Zones;
}

/** Definitions that were read, by where they stand. Most are of many events. */
export type Definitions = Map<string, Definition>;

interface Definition {
  readonly component: JcalComponent | undefined;
  readonly resolved: ResolvedZone;
}

/** A matching takes some milliseconds, so a file whose zones all need one ends with offsets. */
const mostMatched = 200;

/** Reads the components of one UID. */
export function readGroup(bytes: Uint8Array, group: Group, source: Source): ReadResult {
  const [first] = group.components;
  if (first === undefined) throw new TypeError('a group has a component');
  const errors: ReadProblem[] = [];
  const warnings: ReadProblem[] = [];
  const uid = group.uid === undefined ? {} : { uid: group.uid };
  const result = { uid: group.uid, line: first.line, errors, warnings };
  const size = group.components.reduce((sum, { start, end }) => sum + end - start, 0);
  if (size > readLimits.bytes && first.bad === undefined) {
    const message = `Together with all that was changed in it, it has more than ${readLimits.bytes.toLocaleString('en')} bytes.`;
    errors.push({ ...uid, line: first.line, code: 'EVENT_TOO_LARGE', message });
    return { ...result, object: undefined };
  }
  const parts = new Map<string, Part>();
  let masterFailed = false;
  for (const found of group.components) {
    const part = readPart(bytes, found, (problem, fatal) => {
      if (fatal) errors.push({ ...uid, ...problem });
      else if (warnings.length < readLimits.warnings) warnings.push({ ...uid, ...problem });
    });
    if (typeof part === 'string') masterFailed ||= part === 'master';
    else {
      const before = parts.get(part.key);
      if (before !== undefined)
        warnings.push({
          ...uid,
          line: found.line,
          code: 'EVENT_TWICE',
          message: 'It is in the file twice. The newer one counts.',
        });
      if (before === undefined || isNewer(part.component, before.component)) parts.set(part.key, part);
    }
  }
  // Changed instances of a series that can't be read would look like events of their own.
  if (masterFailed && !parts.has('')) parts.clear();
  const components = [...parts.values()].map(({ component }) => withUid(component, group.uid));
  if (group.uid === undefined || components.length === 0) return { ...result, object: undefined };
  const zones = definitionsFor(bytes, components, first, source, warnings);
  const jcal: JcalComponent = ['vcalendar', kept(source.properties), [...zones, ...components]];
  return { ...result, object: { uid: group.uid, component: first.name, jcal, line: first.line } };
}

interface Part {
  /** its RECURRENCE-ID; empty for the event or series itself */
  readonly key: string;
  readonly component: JcalComponent;
}

/** @returns which one failed, if it did */
function readPart(
  bytes: Uint8Array,
  found: Found,
  report: (problem: ReadProblem, fatal: boolean) => void,
): Part | 'master' | 'instance' {
  const { line, bad } = found;
  if (bad !== undefined) {
    report({ line, ...bad }, true);
    return 'master';
  }
  const { component, warnings } = readComponent(bytes, found);
  for (const warning of warnings) report(warning, false);
  const instance = propertyOf(component, 'recurrence-id');
  const flaw = flawOf(component);
  if (flaw !== undefined) {
    report({ line, ...flaw }, true);
    return instance === undefined ? 'master' : 'instance';
  }
  const oddity = oddityOf(component);
  if (oddity !== undefined) report({ line, ...oddity }, false);
  return { key: instance === undefined ? '' : `${textOf(instance)} ${String(instance[1]['tzid'] ?? '')}`, component };
}

/** By SEQUENCE, and then by when it was written. */
function isNewer(one: JcalComponent, other: JcalComponent): boolean {
  const sequence = (component: JcalComponent): number => {
    const value = propertyOf(component, 'sequence')?.[3];
    return typeof value === 'number' ? value : 0;
  };
  const written = (component: JcalComponent): string =>
    textOf(propertyOf(component, 'last-modified') ?? propertyOf(component, 'dtstamp'));
  return sequence(one) !== sequence(other) ? sequence(one) > sequence(other) : written(one) > written(other);
}

function withUid(component: JcalComponent, uid: string | undefined): JcalComponent {
  if (uid === undefined || textOf(propertyOf(component, 'uid')) === uid) return component;
  return withProperties(component, ['uid'], [['uid', {}, 'text', uid]]);
}

/** Of the calendar, what an object needs by itself. METHOD says what to do with it and is no part of it (RFC 4791 4.1). */
function kept(properties: readonly JcalProperty[]): JcalProperty[] {
  const prodid = properties.find(([name]) => name === 'prodid');
  return [['version', {}, 'text', '2.0'], ...(prodid === undefined ? [] : [prodid])];
}

/** The definitions of the zones that components name, from their calendar or from another one of the file. */
function definitionsFor(
  bytes: Uint8Array,
  components: readonly JcalComponent[],
  { calendar, line }: Found,
  { calendars, definitions, zones }: Source,
  warnings: ReadProblem[],
): JcalComponent[] {
  const uid = textOf(components[0] && propertyOf(components[0], 'uid'));
  const names = new Set(components.flatMap((component) => [...zonesNamedIn(component)]));
  const wall = startOf(components);
  return [...names].flatMap((tzid) => {
    const found = calendar.zones.get(tzid) ?? calendars.find((one) => one.zones.has(tzid))?.zones.get(tzid);
    const key = found === undefined ? `name ${tzid}` : `${found.start} ${wall.slice(0, 4)}`;
    const definition =
      definitions.get(key) ??
      readDefinition(bytes, { tzid, found, wall, zones, match: definitions.size < mostMatched });
    definitions.set(key, definition);
    const warning = warningOf(tzid, definition.resolved);
    if (warning !== undefined && warnings.length < readLimits.warnings) warnings.push({ uid, line, ...warning });
    return definition.component === undefined ? [] : [definition.component];
  });
}

function startOf(components: readonly JcalComponent[]): string {
  const start = textOf(
    components.map((component) => propertyOf(component, 'dtstart')).find((one) => one !== undefined),
  );
  return start === '' ? '1970-01-01' : start;
}

interface Wanted {
  readonly tzid: string;
  readonly found: Found | undefined;
  readonly wall: string;
  readonly zones: Zones;
  readonly match: boolean;
}

function readDefinition(bytes: Uint8Array, { tzid, found, wall, zones, match }: Wanted): Definition {
  const component = found === undefined || found.bad !== undefined ? undefined : readComponent(bytes, found).component;
  const resolved = resolveZone(tzid, component, wall, zones, match);
  return { component: component && withResolvedZone(component, resolved, tzid, zones), resolved };
}

function warningOf(
  tzid: string,
  { zone, by, differs }: ResolvedZone,
): Pick<ReadProblem, 'code' | 'message'> | undefined {
  const name = JSON.stringify(tzid.slice(0, 100));
  if (differs)
    return {
      code: 'ZONE_DIFFERS',
      message: `The file describes the zone ${name} with other offsets than ${zone} has. Those of ${zone} count.`,
    };
  if (zone === undefined)
    return {
      code: 'ZONE_UNKNOWN',
      message: `The zone ${name} is unknown. Its times are floating: they are those of the zone of whoever looks.`,
    };
  if (by === 'offset')
    return {
      code: 'ZONE_UNKNOWN',
      message: `No known zone is like ${name}. Its times are read with the offset of ${zone}.`,
    };
  return undefined;
}
