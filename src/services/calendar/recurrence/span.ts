import { wholeNumber } from '../../../base/whole-number.ts';
import { DAY, HOUR, MINUTE, SECOND } from './civil.ts';
import { RuleError } from './rule-error.ts';

/**
 * A duration of RFC 5545 3.3.6: days are nominal (over a change of the clock a day has 23 or 25 hours), hours and smaller are exact. So P1D
 * is `{days: 1, ms: 0}` and PT24H is `{days: 0, ms: 86400000}`.
 */
export interface Span {
  readonly days: number;
  readonly ms: number;
}

const form =
  /^(?<sign>[+-])?P(?:(?<weeks>\d{1,15})W)?(?:(?<days>\d{1,15})D)?(?<time>T(?:(?<hours>\d{1,15})H)?(?:(?<minutes>\d{1,15})M)?(?:(?<seconds>\d{1,15})S)?)?$/;

/** Longer than all of the calendar. */
const most = 3_700_000;

/** @throws RuleError INVALID_DURATION: no duration, a negative one, or one of more than 10,000 years */
export function parseSpan(text: string): Span {
  const parts = form.exec(text.trim().toUpperCase())?.groups;
  const given = (...names: string[]) => names.some((name) => parts?.[name] !== undefined);
  const time = given('hours', 'minutes', 'seconds');
  if (parts === undefined || !(time || given('weeks', 'days')) || (given('time') && !time))
    throw invalid('A duration must be text such as PT1H30M or P2D.');
  const number = (name: string) => wholeNumber(parts[name]) ?? 0;
  const span = {
    days: number('weeks') * 7 + number('days'),
    ms: number('hours') * HOUR + number('minutes') * MINUTE + number('seconds') * SECOND,
  };
  if (parts['sign'] === '-' && (span.days > 0 || span.ms > 0)) throw invalid('A duration must not be negative.');
  if (span.days > most || span.ms > most * DAY) throw invalid('A duration must be at most 10,000 years.');
  return span;
}

export function formatSpan({ days, ms }: Span): string {
  const part = (unit: number, of: number, letter: string) => {
    const value = Math.floor((ms % of) / unit);
    return value === 0 ? '' : `${value}${letter}`;
  };
  const time = `${part(HOUR, Number.POSITIVE_INFINITY, 'H')}${part(MINUTE, HOUR, 'M')}${part(SECOND, MINUTE, 'S')}`;
  if (days > 0) return `P${days}D${time === '' ? '' : `T${time}`}`;
  return `PT${time === '' ? '0S' : time}`;
}

function invalid(message: string): RuleError {
  return new RuleError('INVALID_DURATION', message);
}
