import type { RuleObject } from '../../contract/calendar/recurrence.ts';
import { Problem } from '../../base/problem.ts';
import { wholeNumber } from '../../base/whole-number.ts';
import { firstDay, takeRepeat } from './plain-repeat.ts';
import { phraseOf, takeDuration, takeTimes, type Duration, type Phrase, type TimeRange } from './plain-times.ts';
import { day, dayText, hour, minute, monthNames, startOfDay, wallFrom, type WallClock } from './wall-clock.ts';

export interface Reader {
  readonly now: number;
  readonly clock: WallClock;
  /** the day that a time without one is on, as a wall-clock time; default: the next on which it is still to come */
  readonly day?: number;
}

/** What was understood. Times are wall-clock times of the reader. */
export interface When {
  readonly allDay: boolean;
  readonly start: number;
  /** exclusive; of an event of days, the day after the last one */
  readonly end: number;
  /** how long it takes if that was said; of hours it is exact, so that the clocks may change meanwhile */
  readonly duration: Duration | undefined;
  /** whether an end or a duration was said */
  readonly ended: boolean;
  readonly rule: RuleObject | undefined;
}

const forms = [
  'tomorrow 12:30 1h',
  'Friday 14:00-15:30',
  '12 May all day',
  '2026-05-12 9am for 90 min',
  'every weekday 9:00 15 min',
  'monthly on the last Friday 16:00 until 31 December',
] as const;

/**
 * Reads when something is, in plain words. What is said of time of day, duration and recurrence is read here, days by chrono-node.
 * @throws Problem invalid USAGE that says what can be written
 */
export async function readWhen(text: string, reader: Reader): Promise<When> {
  const repeat = takeRepeat(normalized(text));
  const phrase = phraseOf(repeat?.rest ?? normalized(text));
  const wholeDays = phrase.take(/(?<!\w)all[- ]day(?:\s+long)?(?!\w)/) !== undefined;
  const duration = takeDuration(phrase);
  const soon = takeSoon(phrase, reader);
  const range = soon === undefined ? takeTimes(phrase) : undefined;
  const until = await takeUntil(phrase, reader);
  phrase.take(/(?<!\w)(?:from|starting|beginning)(?!\w| now)/);
  const named = await takeDays(phrase, reader);
  if (!/^(?:(?:on|at|the|from|starting|beginning|and|of|for)\b|[,;\s])*$/.test(phrase.rest()))
    throw notUnderstood(text, phrase.rest());
  const isLimit = repeat !== undefined && until?.day !== undefined;
  const times: TimeRange | undefined = range ?? named?.times ?? (isLimit ? until.times : undefined);
  const heard = { repeat, wholeDays, duration, soon, times, named, until };
  if (Object.values(heard).every((part) => part === undefined || part === false)) throw notUnderstood(text, '');
  const rule = isLimit && repeat !== undefined ? { ...repeat.rule, until: dayText(until.day ?? 0) } : repeat?.rule;
  if (rule?.count !== undefined && rule.until !== undefined)
    throw usage('Say how many times, or until when, not both.');
  const fallback = isLimit ? undefined : until?.day;
  const begin = soon ?? beginOf(reader, { times, days: named, rule, wholeDays, fallback, duration, text });
  const { allDay } = begin;
  const end = endOf(begin, { times, named, until: isLimit ? undefined : until, duration });
  if (allDay && duration !== undefined && duration.minutes > 0)
    throw usage(`Say at what time of day it begins, such as "${text.trim()} at 9:00".`);
  if (end !== undefined && end <= begin.start) throw usage('It ends before it begins.');
  const length = allDay ? day : hour;
  return {
    allDay,
    start: begin.start,
    end: end ?? exactEnd(reader, begin, duration, rule) ?? begin.start + length,
    duration,
    ended: end !== undefined || duration !== undefined,
    rule,
  };
}

/** A single day in plain words. @throws Problem invalid USAGE */
export async function readDay(text: string, reader: Reader): Promise<number> {
  // What needs no parser does not load one.
  if (/^\s*today\s*$/i.test(text)) return startOfDay(reader.clock.wallOf(reader.now));
  const written = /^\s*\d{4}-\d{2}-\d{2}\s*$/.test(text) ? wallFrom(text.trim()) : undefined;
  if (written !== undefined) return written;
  const phrase = phraseOf(normalized(text));
  const found = await takeDays(phrase, reader);
  if (found === undefined || found.times !== undefined || found.last !== undefined || phrase.rest() !== '')
    throw usage(`${JSON.stringify(text)} is no day. Write it as tomorrow, Friday, 12 May, or 2026-05-12.`);
  return found.first;
}

/** When something begins that keeps its length, in plain words. @throws Problem invalid USAGE */
export async function readStart(text: string, reader: Reader): Promise<number> {
  // What needs no parser does not load one.
  const written = /\d[T ]\d/.test(text) ? wallFrom(text.trim()) : undefined;
  if (written !== undefined) return written;
  const { allDay, start, ended, rule } = await readWhen(text, reader);
  if (allDay) throw usage(`Say at what time of day it begins, such as "${text.trim()} at 9:00".`);
  if (ended || rule !== undefined) throw usage('Say when it begins, and no more: it keeps its length.');
  return start;
}

/** A duration in plain words. @throws Problem invalid USAGE */
export function readDuration(text: string): Duration {
  const phrase = phraseOf(normalized(text));
  const found = takeDuration(phrase);
  if (found === undefined || phrase.rest() !== '')
    throw usage(`${JSON.stringify(text)} is no duration. Write it as 90 min, 1h30, or 3 days.`);
  return found;
}

/** A recurrence in plain words, with its limit. @throws Problem invalid USAGE */
export async function readRepeat(text: string, reader: Reader): Promise<RuleObject> {
  const found = takeRepeat(normalized(text));
  const phrase = phraseOf(found?.rest ?? '');
  const until = await takeUntil(phrase, reader);
  if (found === undefined || phrase.rest() !== '' || until?.times !== undefined)
    throw usage(
      `${JSON.stringify(text)} is no recurrence. Write it as every weekday, every 2 weeks on Tue and Thu, monthly on the last Friday, yearly until 2030-12-31, daily 10 times, or as a rule such as FREQ=WEEKLY;BYDAY=MO.`,
    );
  return until?.day === undefined ? found.rule : { ...found.rule, until: dayText(until.day) };
}

function normalized(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (/(?<!\S)\d{1,2}\/\d{1,2}(?:\/\d{2,4})?(?!\S)/.test(plain))
    throw usage('A day with slashes is read differently in different countries. Write it as 12 May or 2026-05-12.');
  return plain
    .replaceAll(/(\d{4}-\d{2}-\d{2})t(?=\d)/g, '$1 ')
    .replaceAll(
      /(?<![\d.:])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/g,
      (_, date: string, month: string, year: string) => `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`,
    )
    .replaceAll(/(?<![\d.:])(\d{1,2})\.(\d{1,2})\.(?!\d)/g, (whole, date: string, month: string) => {
      const name = monthNames[(wholeNumber(month) ?? 0) - 1];
      return name === undefined ? whole : `${date} ${name.toLowerCase()}`;
    });
}

interface Begin {
  readonly start: number;
  readonly allDay: boolean;
}

/** `now` and `in 2 hours`, which is exact. */
function takeSoon(phrase: Phrase, { now, clock }: Reader): Begin | undefined {
  if (phrase.take(/(?<!\w)now(?!\w)/) !== undefined)
    return { start: Math.floor(clock.wallOf(now) / minute) * minute, allDay: false };
  const [, count = '', unit = ''] = phrase.take(/(?<!\w)in (\d{1,4}|an?|half an) (min|hour)(?:s|utes?)?(?!\w)/) ?? [];
  if (unit === '') return undefined;
  const number = count === 'half an' ? 0.5 : count.startsWith('a') ? 1 : (wholeNumber(count) ?? 1);
  const at = now + number * (unit === 'min' ? minute : hour);
  return { start: clock.wallOf(Math.ceil(at / minute) * minute), allDay: false };
}

interface Until {
  readonly day: number | undefined;
  readonly times: TimeRange | undefined;
}

async function takeUntil(phrase: Phrase, reader: Reader): Promise<Until | undefined> {
  const [, text] = phrase.take(/(?<!\w)(?:until|till?|through)\s+(.+)$/) ?? [];
  if (text === undefined) return undefined;
  const inner = phraseOf(text);
  const times = takeTimes(inner);
  const days = inner.rest() === '' ? undefined : await takeDays(inner, reader);
  if (inner.rest() !== '' || (times === undefined && days === undefined)) throw notUnderstood(text, text);
  return { day: days?.first, times: times ?? days?.times };
}

interface Days {
  readonly first: number;
  readonly last: number | undefined;
  /** named by a day of the week, so that it is the next such day */
  readonly byWeekday: boolean;
  /** of a word such as evening */
  readonly times: TimeRange | undefined;
}

/** Days by chrono-node, which is asked at noon of the reader's day, so that neither zones nor the zone of this machine matter. */
async function takeDays(phrase: Phrase, { now, clock }: Reader): Promise<Days | undefined> {
  const text = phrase.rest();
  if (!/[a-z\d]/.test(text)) return undefined;
  const { casual } = await import('chrono-node/en');
  const noon = startOfDay(clock.wallOf(now)) + 12 * hour;
  const forwardDate = !/(?<!\w)(?:last|ago|yesterday|past|previous)(?!\w)/.test(text);
  const [found] = casual.parse(text, { instant: new Date(noon), timezone: 0 }, { forwardDate });
  if (found === undefined) return undefined;
  const { start, end } = found;
  const partOfDay = /(?<!\w)(?:tonight|morning|afternoon|evening|night)(?!\w)/.test(found.text);
  // A month alone is no day, and times of day are taken before: this would be a second one.
  const dayless = start.isCertain('month') && !start.isCertain('day') && !start.isCertain('weekday');
  if (dayless || (start.isCertain('hour') && !partOfDay)) return undefined;
  phrase.take(new RegExp(found.text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)));
  const dateOf = (part: typeof start): number =>
    Date.UTC(part.get('year') ?? 0, (part.get('month') ?? 1) - 1, part.get('day') ?? 1);
  return {
    first: dateOf(start),
    last: end === null || end === undefined ? undefined : dateOf(end),
    byWeekday: start.isCertain('weekday') && !start.isCertain('day'),
    times: partOfDay ? { start: (start.get('hour') ?? 12) * hour, end: undefined } : undefined,
  };
}

interface Heard {
  readonly times: TimeRange | undefined;
  readonly days: Days | undefined;
  readonly rule: RuleObject | undefined;
  readonly wholeDays: boolean;
  readonly fallback: number | undefined;
  readonly duration: Duration | undefined;
  readonly text: string;
}

function beginOf(reader: Reader, { times, days, rule, wholeDays, fallback, duration, text }: Heard): Begin {
  const { now, clock } = reader;
  if (wholeDays && times !== undefined) throw usage('It is all day, or at a time of day, not both.');
  const allDay = times === undefined;
  const at = times?.start ?? 0;
  const isLate = (wall: number): boolean => !allDay && clock.instantOf(wall + at) <= now;
  const today = startOfDay(clock.wallOf(now));
  if (rule !== undefined)
    return { start: firstDay(rule, days?.first ?? today, days === undefined ? isLate : () => false) + at, allDay };
  // A time that clocks skip is an hour later.
  const on = (wall: number): Begin => ({ start: allDay ? wall : clock.wallOf(clock.instantOf(wall + at)), allDay });
  if (days !== undefined) return on(days.first + (days.byWeekday && isLate(days.first) ? 7 * day : 0));
  const known = reader.day ?? (times === undefined ? undefined : fallback);
  if (known !== undefined) return on(startOfDay(known));
  if (allDay && !wholeDays && (duration === undefined || duration.days === 0)) throw notUnderstood(text, '');
  return on(isLate(today) ? today + day : today);
}

interface Ends {
  readonly times: TimeRange | undefined;
  readonly named: Days | undefined;
  readonly until: Until | undefined;
  readonly duration: Duration | undefined;
}

function endOf({ start, allDay }: Begin, { times, named, until, duration }: Ends): number | undefined {
  const said = [times?.end, named?.last, until, duration].filter((part) => part !== undefined).length;
  if (said === 0) return undefined;
  if (said > 1) throw usage('Say when it ends, or how long it takes, not both.');
  const last = named?.last ?? until?.day;
  const at = times?.end ?? until?.times?.start;
  if (allDay) return at === undefined && last !== undefined ? last + day : until === undefined ? undefined : late();
  if (last !== undefined && at === undefined) return late();
  if (at === undefined) return undefined;
  const end = (last ?? startOfDay(start)) + at;
  return last === undefined && end <= start ? end + day : end;
}

function late(): never {
  throw usage('Say at what time it begins and at what time it ends, such as "Friday 22:00 until Saturday 2:00".');
}

function exactEnd(
  { clock }: Reader,
  { start, allDay }: Begin,
  duration: Duration | undefined,
  rule: RuleObject | undefined,
): number | undefined {
  if (duration === undefined) return undefined;
  const length = duration.days * day + duration.minutes * minute;
  if (length === 0) throw usage('A duration must be more than nothing.');
  // The clocks change in a single instance of a series, which says nothing of the others.
  if (allDay || rule !== undefined) return start + length;
  return clock.wallOf(clock.instantOf(start + duration.days * day) + duration.minutes * minute);
}

/** What says nothing of when something is, while other refusals say what is missing or too much. */
export class NotUnderstood extends Problem {}

function notUnderstood(text: string, rest: string): Problem {
  const isWhole = rest === '' || rest === text.trim().toLowerCase();
  const part = isWhole ? JSON.stringify(text) : `${JSON.stringify(rest)} in ${JSON.stringify(text)}`;
  return new NotUnderstood('invalid', 'USAGE', `Could not tell when ${part} is. Write it as: ${forms.join('; ')}.`);
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
