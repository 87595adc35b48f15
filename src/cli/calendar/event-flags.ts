import { Flags } from '@oclif/core';
import type { Event, GivenEvent } from '../../contract/calendar/event.ts';
import { Problem } from '../../base/problem.ts';
import { readEvent } from './plain-event.ts';
import { durationText } from './plain-times.ts';
import { readDuration, readRepeat, readWhen, type Reader, type When } from './plain-words.ts';
import { day, dayText, startOfDay, wallFrom, wallText } from './wall-clock.ts';

/** What can be said of an event, without its title. */
export const eventFlags = {
  start: Flags.string({ description: 'begin: 2026-05-12T14:00, or a day', helpValue: 'TIME' }),
  end: Flags.string({ description: 'end, or the last day', helpValue: 'TIME', exclusive: ['duration'] }),
  duration: Flags.string({ description: 'how long it takes: 90 min, 1h30, 3 days', helpValue: 'DURATION' }),
  'all-day': Flags.boolean({ description: 'it is on days, at no time of day' }),
  zone: Flags.string({
    description: 'time zone of its times, such as Europe/Berlin; default: that of your settings',
    helpValue: 'ZONE',
  }),
  repeat: Flags.string({
    description: 'every weekday, every 2 weeks on Tue and Thu, monthly on the last Friday, or a rule of iCalendar',
    helpValue: 'RULE',
  }),
  location: Flags.string({ description: 'where it is', helpValue: 'TEXT' }),
  description: Flags.string({ description: 'what it is about', helpValue: 'TEXT' }),
  url: Flags.string({ description: 'address on the web', helpValue: 'URL' }),
  category: Flags.string({
    description: 'may be repeated',
    helpValue: 'NAME',
    multiple: true,
    multipleNonGreedy: true,
  }),
  private: Flags.boolean({ description: 'others see only that time is taken', exclusive: ['public'] }),
  public: Flags.boolean({ description: 'whoever reads the calendar sees it whole, as usual' }),
  free: Flags.boolean({ description: 'the time is not taken', exclusive: ['busy'] }),
  busy: Flags.boolean({ description: 'the time is taken, as usual' }),
  tentative: Flags.boolean({ description: 'it is not certain' }),
  remind: Flags.string({
    description: 'how long before it a reminder comes: 15 min; may be repeated',
    helpValue: 'DURATION',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

export interface EventFlags {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly duration?: string | undefined;
  readonly 'all-day'?: boolean | undefined;
  readonly repeat?: string | undefined;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  readonly url?: string | undefined;
  readonly category?: readonly string[] | undefined;
  readonly private?: boolean | undefined;
  readonly public?: boolean | undefined;
  readonly free?: boolean | undefined;
  readonly busy?: boolean | undefined;
  readonly tentative?: boolean | undefined;
  readonly remind?: readonly string[] | undefined;
}

/** Fields that have nothing to do with times. */
export function aboutEvent(flags: EventFlags): GivenEvent {
  const { location, description, url, category, remind } = flags;
  return {
    ...(location !== undefined && { location }),
    ...(description !== undefined && { description }),
    ...(url !== undefined && { url: url === '' ? null : url }),
    ...(category !== undefined && { categories: category.filter((name) => name !== '') }),
    ...(flags.private === true && { visibility: 'PRIVATE' as const }),
    ...(flags.public === true && { visibility: 'PUBLIC' as const }),
    ...(flags.free === true && { transparency: 'TRANSPARENT' as const }),
    ...(flags.busy === true && { transparency: 'OPAQUE' as const }),
    ...(flags.tentative === true && { status: 'TENTATIVE' as const }),
    ...(remind !== undefined && { reminders: remind.filter((text) => text !== '').map(reminderOf) }),
  };
}

function reminderOf(text: string) {
  const { days, minutes } = readDuration(text);
  return { action: 'DISPLAY' as const, triggerMinutesBefore: days * 1440 + minutes };
}

/** When an event is, as fields, and in what was understood. */
export interface Times {
  readonly given: GivenEvent;
  /** undefined if no begin was named */
  readonly when: When | undefined;
}

/**
 * The times of an event, from words or from flags.
 * @throws Problem invalid USAGE
 */
export async function timesOf(words: string | undefined, flags: EventFlags, reader: Reader): Promise<Times> {
  const repeat = await repeatOf(flags.repeat, reader);
  if (words !== undefined) {
    const taken = (['start', 'end', 'duration'] as const).find((name) => flags[name] !== undefined);
    if (taken !== undefined) throw usage(`Say when it is either in words, or by --${taken}.`);
    const said = await readWhen(flags['all-day'] === true ? `${words} all day` : words, reader);
    const when = repeat.rule === undefined ? said : { ...said, rule: repeat.rule };
    return { given: { ...fieldsOf(when, reader), ...repeat.given }, when };
  }
  return { given: { ...fromFlags(flags, reader), ...repeat.given }, when: undefined };
}

interface Words {
  readonly title: string;
  readonly when?: string | undefined;
}

/**
 * A new event: its title, and when it is by words of their own, by flags, or by words behind the title.
 * @throws Problem invalid USAGE
 */
export async function saidEvent(
  { title, when }: Words,
  flags: EventFlags,
  reader: Reader,
): Promise<Times & { readonly title: string }> {
  if (when !== undefined || flags.start !== undefined) return { title, ...(await timesOf(when, flags, reader)) };
  const said = await readEvent(title, reader);
  return { title: said.title, ...(await timesOf(said.words, flags, reader)) };
}

async function repeatOf(text: string | undefined, reader: Reader): Promise<{ given: GivenEvent; rule?: When['rule'] }> {
  if (text === undefined) return { given: {} };
  if (/^(?:never|no|none)$/i.test(text)) return { given: { rrule: null } };
  const line = text.replace(/^RRULE:/i, '');
  if (/(?:^|;)FREQ=/i.test(line)) return { given: { rrule: line } };
  const rule = await readRepeat(text, reader);
  return { given: { rrule: rule }, rule };
}

/** What was understood, as fields of an event. */
export function fieldsOf(
  { allDay, start, end, duration, ended, rule }: When,
  { clock, day: kept }: Pick<Reader, 'clock' | 'day'>,
): GivenEvent {
  const rrule = rule === undefined ? {} : { rrule: rule };
  // What is changed keeps its length, unless another one is said.
  const isLeft = !ended && kept !== undefined;
  if (allDay) return { allDay, dtstart: dayText(start), ...(!isLeft && { dtend: dayText(end) }), ...rrule };
  const until =
    duration === undefined ? { dtend: wallText(end), dtendTzid: clock.zone } : { duration: durationText(duration) };
  return {
    allDay,
    dtstart: wallText(start),
    dtstartTzid: clock.zone,
    ...(!isLeft && until),
    ...rrule,
  };
}

function fromFlags(flags: EventFlags, { clock }: Reader): GivenEvent {
  const { start, end, duration } = flags;
  const from = start === undefined ? undefined : namedTime('start', start);
  const to = end === undefined ? undefined : namedTime('end', end);
  const allDay = flags['all-day'] ?? (from === undefined ? undefined : /^\S{10}$/.test(start ?? ''));
  const inZone = allDay === true ? {} : { dtstartTzid: clock.zone };
  const textOf = (wall: number) => (allDay === true ? dayText(wall) : wallText(wall));
  // Of days the last one is named, and the one after it is what the event has.
  const last = to === undefined ? undefined : allDay === true ? startOfDay(to) + day : to;
  return {
    ...(allDay !== undefined && { allDay }),
    ...(from !== undefined && { dtstart: textOf(from), ...inZone }),
    ...(last !== undefined && { dtend: textOf(last), ...(allDay !== true && { dtendTzid: clock.zone }) }),
    ...(duration !== undefined && { duration: durationText(readDuration(duration)) }),
  };
}

/** What begins at another time is as long as before. */
export function keptLength({ dtstart, dtend, duration, allDay }: GivenEvent, before: Event): GivenEvent {
  const moves = dtstart !== undefined && dtend === undefined && duration === undefined;
  if (!moves) return {};
  if (allDay === undefined || allDay === before.allDay) return { duration: before.duration };
  return { duration: allDay ? 'P1D' : 'PT1H' };
}

function namedTime(name: 'start' | 'end', text: string): number {
  const wall = wallFrom(text);
  if (wall === undefined)
    throw usage(`--${name} must be a time such as 2026-05-12T14:00, or a day such as 2026-05-12.`);
  return wall;
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
