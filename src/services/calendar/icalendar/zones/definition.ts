import {
  paramOf,
  propertiesOf,
  propertyOf,
  textOf,
  timeText,
  valuesOf,
  type JcalComponent,
  type JcalRule,
} from '../jcal.ts';
import { isTime, isUtc, wallMs } from '../text/times.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';
import type { Transition } from './zone-times.ts';

/** What a VTIMEZONE says: when the offset changes. Of rules it knows those that zones have, which are yearly. */
export interface ZoneDefinition {
  readonly observances: readonly Observance[];
}

interface Observance {
  /** milliseconds ahead of UTC */
  readonly before: number;
  readonly after: number;
  /** onsets that are named, as milliseconds of UTC */
  readonly onsets: readonly number[];
  readonly rule?: YearlyRule;
}

interface YearlyRule {
  readonly start: number;
  readonly month: number;
  readonly weekday?: number;
  /** the first Sunday, the last one (-1) */
  readonly nth?: number;
  readonly monthDays: readonly number[];
  readonly interval: number;
  /** of UTC */
  readonly until: number;
}

/** @returns undefined for what has no observance that can be read */
export function definitionOf([, , components]: JcalComponent): ZoneDefinition | undefined {
  const observances = components.flatMap((component) => observanceOf(component) ?? []);
  return observances.length === 0 ? undefined : { observances };
}

function observanceOf(component: JcalComponent): Observance | undefined {
  const before = offsetOf(textOf(propertyOf(component, 'tzoffsetfrom')));
  const after = offsetOf(textOf(propertyOf(component, 'tzoffsetto')));
  const start = textOf(propertyOf(component, 'dtstart'));
  if (before === undefined || after === undefined || !isTime(start)) return undefined;
  const named = propertiesOf(component, 'rdate').flatMap((property) => valuesOf(property).map(timeText));
  const onsets = [start, ...named].filter(isTime).map((time) => wallMs(time) - (isUtc(time) ? 0 : before));
  const rule = ruleOf(component, wallMs(start), before);
  return { before, after, onsets, ...(rule !== undefined && { rule }) };
}

function offsetOf(text: string): number | undefined {
  const [, sign, hours, minutes, seconds] = /^([+-])(\d{1,2}):?(\d{2}):?(\d{2})?$/.exec(text.trim()) ?? [];
  if (sign === undefined) return undefined;
  const [h = 0, m = 0, s = 0] = [hours, minutes, seconds].map((digits) => wholeNumber(digits) ?? 0);
  return (sign === '-' ? -1 : 1) * (h * 3600 + m * 60 + s) * 1000 || 0;
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

function ruleOf(component: JcalComponent, start: number, before: number): YearlyRule | undefined {
  const property = propertyOf(component, 'rrule');
  const value = property === undefined ? undefined : valuesOf(property)[0];
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const rule = value as JcalRule;
  if (rule['freq'] !== 'YEARLY') return undefined;
  const numbers = (part: string): number[] => [rule[part] ?? []].flat().filter((one) => typeof one === 'number');
  const [month = new Date(start).getUTCMonth() + 1] = numbers('bymonth');
  const [, nth, day] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(String([rule['byday'] ?? ''].flat()[0])) ?? [];
  const weekday = weekdays.indexOf(day ?? '');
  const place =
    nth === undefined ? undefined : (wholeNumber(nth.replace(/^[+-]/, '')) ?? 1) * (nth.startsWith('-') ? -1 : 1);
  const days = numbers('bymonthday');
  const [count] = numbers('count');
  const [interval = 1] = numbers('interval');
  return {
    start,
    month,
    ...(weekday >= 0 && { weekday }),
    ...(place !== undefined && { nth: place }),
    monthDays: days.length > 0 || weekday >= 0 ? days : [new Date(start).getUTCDate()],
    interval: Math.max(1, interval),
    until: count === undefined ? untilOf(rule, before) : endOfYear(start, (count - 1) * Math.max(1, interval)),
  };
}

function untilOf(rule: JcalRule, before: number): number {
  const until = String(rule['until'] ?? '');
  if (!isTime(until)) return Number.POSITIVE_INFINITY;
  // A day, or a time without a zone, is one of the clock.
  return isUtc(until) ? wallMs(until) : wallMs(until.length === 10 ? `${until}T23:59:59` : until) - before;
}

function endOfYear(start: number, years: number): number {
  return Date.UTC(new Date(start).getUTCFullYear() + Math.min(years, 9_000) + 1, 0, 2);
}

/** The onset of a year, as milliseconds of UTC. */
function onsetIn(
  year: number,
  { start, month, weekday, nth, monthDays }: YearlyRule,
  before: number,
): number | undefined {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const all = Array.from({ length }, (_, at) => at + 1);
  const named =
    monthDays.length === 0 ? all : all.filter((day) => monthDays.includes(day) || monthDays.includes(day - length - 1));
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const fitting = weekday === undefined ? named : named.filter((day) => (first + day - 1) % 7 === weekday);
  const day = nth === undefined ? fitting[0] : fitting.at(nth > 0 ? nth - 1 : nth);
  if (day === undefined) return undefined;
  const clock = start - Math.floor(start / 86_400_000) * 86_400_000;
  return Date.UTC(year, month - 1, day) + clock - before;
}

/** The changes in [from, to), and the last one before it: what applies until the first. */
export function transitionsIn(
  { observances }: ZoneDefinition,
  from: number,
  to: number,
): { first: number; all: Transition[] } {
  const last = new Date(to).getUTCFullYear();
  const changes = observances.flatMap(({ before, after, onsets, rule }) => {
    const ruled = rule === undefined ? [] : ruledOnsets(rule, before, new Date(from).getUTCFullYear(), last);
    return [...new Set([...onsets, ...ruled])].map((at) => ({ at, before, after }));
  });
  changes.sort((one, other) => one.at - other.at);
  const earlier = changes.findLast(({ at }) => at < from);
  const all = changes.filter(({ at, before, after }) => at >= from && at < to && before !== after);
  return { first: earlier?.after ?? changes[0]?.before ?? 0, all };
}

/** Those of the years asked for, and the last one before them. */
function ruledOnsets(rule: YearlyRule, before: number, from: number, to: number): number[] {
  const begin = new Date(rule.start).getUTCFullYear();
  const end = Number.isFinite(rule.until) ? new Date(rule.until).getUTCFullYear() : to;
  const found: number[] = [];
  const first = Math.max(begin, Math.min(from, end) - 1 - rule.interval);
  for (let year = first; year <= Math.min(to, end); year += 1) {
    if ((year - begin) % rule.interval !== 0) continue;
    const at = onsetIn(year, rule, before);
    if (at !== undefined && at <= rule.until && at >= rule.start - before) found.push(at);
  }
  return found;
}

/** Milliseconds ahead of UTC when the clock shows this time. */
export function offsetOfWall(definition: ZoneDefinition, wall: string): number {
  const clock = wallMs(wall);
  const { first, all } = transitionsIn(definition, clock - 400 * 86_400_000, clock + 2 * 86_400_000);
  // A change happens when the clock shows its time by the offset before; in a gap, that offset counts.
  return all.findLast(({ at, before, after }) => clock >= at + Math.max(before, after))?.after ?? first;
}

export function nameOf(definition: JcalComponent): string {
  return textOf(propertyOf(definition, 'tzid'));
}

/** The TZIDs that a component names, with those of what is in it. */
export function zonesNamedIn([, properties, components]: JcalComponent, found = new Set<string>()): Set<string> {
  for (const property of properties) {
    const tzid = paramOf(property, 'tzid');
    if (tzid !== undefined && tzid !== '') found.add(tzid);
  }
  for (const component of components) zonesNamedIn(component, found);
  return found;
}
