import { plainNumber } from '../../base/whole-number.ts';
import { weekdays, type RuleObject } from '../../contract/calendar/recurrence.ts';
import { counted } from '../kit/counted.ts';
import { dateWords, day, dayWords, startOfDay, timeText, wallFrom, weekdayNames } from './wall-clock.ts';

/** What is shown of when something is. */
export interface Shown {
  readonly allDay: boolean;
  /** wall-clock times */
  readonly start: number;
  /** exclusive */
  readonly end: number;
  readonly rule?: RuleObject | undefined;
}

/** `Wednesday 25 March 2026, 12:30-13:30 Europe/Berlin, every week` */
export function whenWords({ allDay, start, end, rule }: Shown, zone: string): string {
  const last = startOfDay(end) - (allDay ? day : 0);
  const repeats = rule === undefined ? '' : `, ${ruleWords(rule)}`;
  if (allDay) return `${dayWords(start)}${last > start ? ` to ${dayWords(last)}` : ''}, all day${repeats}`;
  const from = `${dayWords(start)}, ${timeText(start)}`;
  const isNear = end - startOfDay(start) <= day;
  const to = isNear ? `-${last > start ? '24:00' : timeText(end)}` : ` to ${dayWords(end)}, ${timeText(end)}`;
  return `${from}${to} ${zone}${repeats}`;
}

const units = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const;

/** A rule in words; one for which there are none, as itself. */
function ruleWords(rule: RuleObject): string {
  const { count, until } = rule;
  const end = until === undefined ? Number.NaN : (wallFrom(until.slice(0, 10)) ?? Number.NaN);
  const limit = [
    ...(count === undefined ? [] : [counted(count, 'time')]),
    ...(Number.isNaN(end) ? [] : [`until ${dateWords(end)}`]),
  ];
  return [often(rule) ?? `by the rule ${ruleText(rule)}`, ...limit].join(', ');
}

function often({ freq, interval = 1, byDay, byMonthDay, bySetPos, ...rest }: RuleObject): string | undefined {
  const unit = freq in units ? units[freq as keyof typeof units] : undefined;
  const others = Object.keys(rest).filter((name) => !['count', 'until', 'wkst'].includes(name));
  if (unit === undefined || others.length > 0) return undefined;
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
  if (byDay === undefined && byMonthDay === undefined) return bySetPos === undefined ? every : undefined;
  if (freq === 'WEEKLY' && byDay !== undefined && byMonthDay === undefined && bySetPos === undefined) {
    const days = daysWords(byDay);
    if (days === undefined) return undefined;
    return interval === 1 ? `every ${days}` : `${every} on ${days === 'weekday' ? 'weekdays' : days}`;
  }
  if (freq !== 'MONTHLY') return undefined;
  if (byDay === undefined)
    return bySetPos === undefined
      ? `${every} on the ${listed((byMonthDay ?? []).map((nth) => (nth === -1 ? 'last day' : ordinal(nth))))}`
      : undefined;
  if (byMonthDay !== undefined) return undefined;
  if (bySetPos !== undefined)
    return daysWords(byDay) === 'weekday' ? `${every} on the ${listed(bySetPos.map(ordinal))} weekday` : undefined;
  const parts = byDay.map((text) => /^([+-]?\d+)(..)$/.exec(text) ?? undefined);
  if (parts.includes(undefined)) return undefined;
  const names = new Set(parts.map((part) => part?.[2] ?? ''));
  const nths = parts.map((part) => ordinal(plainNumber((part?.[1] ?? '').replace('+', '')) ?? 0));
  const [name = ''] = names;
  if (names.size === 1) return `${every} on the ${listed(nths)} ${nameOf(name)}`;
  return `${every} on the ${listed(parts.map((part, index) => `${nths[index] ?? ''} ${nameOf(part?.[2] ?? '')}`))}`;
}

function daysWords(byDay: readonly string[]): string | undefined {
  if (byDay.some((text) => text.length !== 2)) return undefined;
  if (['MO', 'TU', 'WE', 'TH', 'FR'].every((name) => byDay.includes(name)) && byDay.length === 5) return 'weekday';
  return listed(byDay.map(nameOf));
}

function nameOf(text: string): string {
  return weekdayNames[weekdays.findIndex((name) => name === text)] ?? text;
}

function ordinal(number: number): string {
  if (number === -1) return 'last';
  if (number < 0) return `${ordinal(-number)} last`;
  const ending = number % 100 > 10 && number % 100 < 14 ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10];
  return `${number}${ending ?? 'th'}`;
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

/** As iCalendar has it. */
function ruleText(rule: RuleObject): string {
  return Object.entries(rule)
    .filter(([name]) => name !== 'count' && name !== 'until')
    .map(([name, value]) => `${name.toUpperCase()}=${Array.isArray(value) ? value.join() : value}`)
    .join(';');
}
