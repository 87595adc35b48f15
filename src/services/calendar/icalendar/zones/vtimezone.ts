import { propertyOf, textOf, type JcalComponent, type JcalProperty, type JcalRule } from '../jcal.ts';
import { timeToText, wallOfMs } from '../text/times.ts';
import type { Transition, Zones } from './zone-times.ts';

/** Until where changes are known by the database; after that its rules go on. */
const lastYear = 2037;
/** yearly onsets that make a rule */
const fewest = 3;

/**
 * A VTIMEZONE (RFC 5545 3.6.5) of an IANA zone from a year on: yearly rules as RRULE, other changes as RDATE. The offset of each moment from
 * then on is that of the zone.
 *
 * @param tzid its name, which is another one for zones of Windows
 */
export function vtimezone(tzid: string, zone: string, zones: Zones, since = 1970): JcalComponent {
  const from = Date.UTC(since, 0, 1);
  const changes = zones.transitions(zone, since, lastYear);
  const runs = runsOf(changes);
  const initial = zones.offset(zone, from);
  // Programs that look for the last onset before a time find one also at the begin.
  const first = observance(initial, initial, from, isSaving(changes[0], true), []);
  return [
    'vtimezone',
    [['tzid', {}, 'text', tzid]],
    [first, ...runs.map((run) => ofRun(run))].toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1)),
  ];
}

function startOf(component: JcalComponent): string {
  return textOf(propertyOf(component, 'dtstart'));
}

/** What is before the first change is daylight saving if that change ends one. */
function isSaving(change: Transition | undefined, before: boolean): boolean {
  return change !== undefined && (before ? change.before > change.after : change.after > change.before);
}

/** A change as the clock that it ends shows it. */
interface Onset extends Transition {
  readonly wall: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
}

interface Run {
  readonly onsets: readonly Onset[];
  readonly rule?: JcalRule;
}

/** Changes of the same kind in years that follow each other by one rule; what is left of a kind is one list. */
function runsOf(changes: readonly Transition[]): Run[] {
  const kinds = new Map<string, Onset[]>();
  for (const onset of changes.map(onsetOf)) {
    const key = `${onset.before} ${onset.after}`;
    kinds.set(key, [...(kinds.get(key) ?? []), onset]);
  }
  return [...kinds.values()].flatMap(runsOfKind);
}

function runsOfKind(onsets: readonly Onset[]): Run[] {
  const runs: Run[] = [];
  const single: Onset[] = [];
  for (let at = 0; at < onsets.length;) {
    const run = longestRun(onsets, at);
    if (run.rule === undefined) single.push(...run.onsets);
    else runs.push(run);
    at += run.onsets.length;
  }
  if (single.length > 0) runs.push({ onsets: single });
  return runs;
}

function onsetOf(change: Transition): Onset {
  const wall = change.at + change.before;
  const date = new Date(wall);
  return {
    ...change,
    wall,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

/** From this onset on as many years as one rule has. Without a rule it is the onset alone. */
function longestRun(onsets: readonly Onset[], start: number): Run {
  const [first] = onsets.slice(start, start + 1);
  if (first === undefined) return { onsets: [] };
  const taken = [first];
  let rules = candidates(first);
  for (let at = start + 1; at < onsets.length; at += 1) {
    const next = onsets[at];
    if (next?.year !== first.year + taken.length || timeOfDay(next) !== timeOfDay(first)) break;
    const fitting = rules.filter((rule) => fits(rule, next));
    if (fitting.length === 0) break;
    rules = fitting;
    taken.push(next);
  }
  const [rule] = rules;
  if (rule === undefined || taken.length < fewest) return { onsets: [first] };
  const last = taken.at(-1) ?? first;
  // A rule that reaches the end of what is known goes on.
  const until = last.year >= lastYear ? {} : { until: `${wallOfMs(last.at)}Z` };
  return { onsets: taken, rule: { ...partsOf(rule), ...until } };
}

interface Candidate {
  readonly month: number;
  readonly weekday?: number;
  readonly nth?: number;
  /** the first of seven days, one of which is the weekday; or the day itself */
  readonly from?: number;
}

/** The rules that an onset may follow, those first that every program reads. */
function candidates({ year, month, day, weekday }: Onset): Candidate[] {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const sevens = Array.from({ length: 7 }, (_, back) => ({ month, weekday, from: day - back }));
  return [
    ...(day + 7 > length ? [{ month, weekday, nth: -1 }] : []),
    ...(day <= 28 ? [{ month, weekday, nth: Math.ceil(day / 7) }] : []),
    { month, from: day },
    ...sevens.filter(({ from }) => from >= 1 && from + 6 <= length),
  ];
}

function fits(rule: Candidate, { year, month, day, weekday }: Onset): boolean {
  if (month !== rule.month) return false;
  if (rule.weekday === undefined) return day === rule.from;
  if (weekday !== rule.weekday) return false;
  if (rule.from !== undefined) return day >= rule.from && day < rule.from + 7;
  return rule.nth === -1 ? day + 7 > new Date(Date.UTC(year, month, 0)).getUTCDate() : Math.ceil(day / 7) === rule.nth;
}

function partsOf({ month, weekday, nth, from }: Candidate): JcalRule {
  const day = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][weekday ?? -1];
  const days = from === undefined || day === undefined ? from : Array.from({ length: 7 }, (_, at) => from + at);
  return {
    freq: 'YEARLY',
    bymonth: month,
    ...(days !== undefined && { bymonthday: days }),
    ...(day !== undefined && { byday: nth === undefined ? day : `${nth}${day}` }),
  };
}

function timeOfDay({ wall }: Onset): number {
  return ((wall % 86_400_000) + 86_400_000) % 86_400_000;
}

function ofRun({ onsets, rule }: Run): JcalComponent {
  const [first] = onsets;
  if (first === undefined) throw new TypeError('a run has an onset');
  const more: JcalProperty[] = [];
  if (rule !== undefined) more.push(['rrule', {}, 'recur', rule]);
  else if (onsets.length > 1)
    more.push(['rdate', {}, 'date-time', ...onsets.slice(1).map(({ wall }) => wallOfMs(wall))]);
  return observance(first.before, first.after, first.wall, isSaving(first, false), more);
}

function observance(
  before: number,
  after: number,
  wall: number,
  saving: boolean,
  more: readonly JcalProperty[],
): JcalComponent {
  const properties: JcalProperty[] = [
    ['dtstart', {}, 'date-time', wallOfMs(wall)],
    ['tzoffsetfrom', {}, 'utc-offset', offsetText(before)],
    ['tzoffsetto', {}, 'utc-offset', offsetText(after)],
    ...more,
  ];
  return [saving ? 'daylight' : 'standard', properties, []];
}

function offsetText(offset: number): string {
  const time = timeToText(wallOfMs(Math.abs(offset))).slice(9);
  const parts = [time.slice(0, 2), time.slice(2, 4), ...(time.endsWith('00') ? [] : [time.slice(4)])];
  return `${offset < 0 ? '-' : '+'}${parts.join(':')}`;
}
