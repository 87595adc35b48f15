import { propertyOf, textOf, withProperties, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { zonesNamedIn } from '../zones/definition.ts';
import { flawOf, oddityOf } from './check.ts';
import type { Definitions } from './definitions.ts';
import { readComponent } from './component.ts';
import { readLimits } from './limits.ts';
import type { ReadProblem } from './problem.ts';
import type { Group, ReadResult } from './result.ts';
import type { Found } from './scan.ts';

interface Source {
  /** of the calendar in which the first component stands */
  readonly properties: readonly JcalProperty[];
  readonly definitions: Definitions;
}

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
  const report = (problem: ReadProblem, fatal: boolean): void => {
    const list = fatal ? errors : warnings;
    if (list.length < readLimits.problems) list.push({ ...uid, ...problem });
  };
  const parts = new Map<string, Part>();
  let masterFailed = false;
  for (const found of group.components) {
    const part = readPart(bytes, found, report);
    if (typeof part === 'string') masterFailed ||= part === 'master';
    else {
      const before = parts.get(part.key);
      const twice = {
        line: found.line,
        code: 'EVENT_TWICE',
        message: 'It is in the file twice. The newer one counts.',
      } as const;
      if (before !== undefined) report(twice, false);
      if (before === undefined || isNewer(part.component, before.component)) parts.set(part.key, part);
    }
  }
  // Changed instances of a series that can't be read would look like events of their own.
  if (masterFailed && !parts.has('')) parts.clear();
  const components = [...parts.values()].map(({ component }) => withUid(component, group.uid));
  if (group.uid === undefined || components.length === 0) return { ...result, object: undefined };
  const names = new Set(components.flatMap((component) => [...zonesNamedIn(component)]));
  if (names.size > readLimits.zones) {
    const message = `It has times in more than ${readLimits.zones} zones.`;
    report({ line: first.line, code: 'ZONES_TOO_MANY', message }, true);
    return { ...result, object: undefined };
  }
  const start = startOf(components);
  const zones = [...names].flatMap((tzid) => {
    const { component, warning } = source.definitions.of(tzid, first.calendar, start);
    if (warning !== undefined) report({ line: first.line, ...warning }, false);
    return component === undefined ? [] : [component];
  });
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

function startOf(components: readonly JcalComponent[]): string {
  const start = components.map((component) => propertyOf(component, 'dtstart')).find((one) => one !== undefined);
  return start === undefined ? '1970-01-01' : textOf(start);
}
