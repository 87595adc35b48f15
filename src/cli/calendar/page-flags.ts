import { Args, Flags } from '@oclif/core';
import type { booking } from '../../contract/calendar/booking.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { readInput } from '../kit/call-input.ts';
import type { Terminal } from '../kit/terminal.ts';

export type GivenPage = RawInputOf<(typeof booking)['createBookingPage']>;
type Type = GivenPage['appointmentTypes'][number];
type Window = Type['availableWindows'][number];

export const pageArgument = {
  page: Args.string({ description: 'its address behind /book/', required: true }),
};

/** What can be said of a page. */
export const pageFlags = {
  description: Flags.string({ description: 'what guests read first', helpValue: 'TEXT' }),
  zone: Flags.string({ description: 'time zone of its hours, such as Europe/Berlin', helpValue: 'ZONE' }),
  calendar: Flags.string({ description: 'calendar that bookings come into', helpValue: 'CALENDAR' }),
  notice: Flags.integer({ description: 'minutes before a booking at the latest', min: 0, helpValue: 'MINUTES' }),
  ahead: Flags.integer({ description: 'days ahead at most', min: 1, helpValue: 'DAYS' }),
  'per-day': Flags.integer({ description: 'appointments of a day at most', min: 1, helpValue: 'N' }),
  'kinds-file': Flags.string({
    description: 'JSON file with its kinds of appointments, or - for standard input',
    helpValue: 'FILE',
  }),
};

interface Given {
  readonly description?: string | undefined;
  readonly zone?: string | undefined;
  readonly notice?: number | undefined;
  readonly ahead?: number | undefined;
  readonly 'per-day'?: number | undefined;
}

/** The same as input of operations. What is not named is left out. */
export function pageInput(flags: Given) {
  const { description, zone, notice, ahead } = flags;
  const perDay = flags['per-day'];
  return {
    ...(description !== undefined && { description }),
    ...(zone !== undefined && { timezone: zone }),
    ...(notice !== undefined && { minNoticeMinutes: notice }),
    ...(ahead !== undefined && { maxAdvanceDays: ahead }),
    ...(perDay !== undefined && { maxPerDay: perDay }),
  };
}

/** Kinds of appointments from a file; the operation checks what they say. @throws Problem invalid INPUT_UNREADABLE, INPUT_INVALID */
export async function kindsFrom(terminal: Terminal, file: string): Promise<GivenPage['appointmentTypes']> {
  const text = await readInput(terminal, file, '--kinds-file');
  try {
    const value = JSON.parse(text) as unknown;
    if (Array.isArray(value)) return value as GivenPage['appointmentTypes'];
  } catch {
    // Said below.
  }
  throw new Problem('invalid', 'INPUT_INVALID', '--kinds-file: must be a JSON list of kinds of appointments.');
}

/** One kind of appointment, where there is no file with several. */
export const kindFlags = {
  kind: Flags.string({ description: 'what the appointment is called', helpValue: 'NAME', default: 'Meeting' }),
  minutes: Flags.integer({ description: 'how long it is', min: 5, max: 1_440, helpValue: 'MINUTES', default: 30 }),
  hours: Flags.string({
    description: 'when it can be: days and times, such as "mon-fri 9-17"; can be repeated',
    helpValue: 'HOURS',
    multiple: true,
    multipleNonGreedy: true,
    default: ['mon-fri 9-17'],
  }),
  buffer: Flags.integer({ description: 'minutes that stay free before and after it', min: 0, helpValue: 'MINUTES' }),
  location: Flags.string({ description: 'where it is', helpValue: 'TEXT' }),
  confirm: Flags.boolean({ description: 'it waits until you confirm it' }),
};

interface GivenKind {
  readonly kind: string;
  readonly minutes: number;
  readonly hours: readonly string[];
  readonly buffer?: number | undefined;
  readonly location?: string | undefined;
  readonly confirm?: boolean | undefined;
}

/** @throws Problem invalid USAGE for hours that are none */
export function kindFrom({ kind: name, minutes, hours, buffer, location, confirm = false }: GivenKind): Type {
  return {
    name,
    durationMinutes: minutes,
    availableWindows: windowsFrom(hours),
    requiresConfirmation: confirm,
    ...(buffer !== undefined && { bufferMinutes: buffer }),
    ...(location !== undefined && { location }),
  };
}

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const clock = String.raw`(\d{1,2})(?::(\d{2}))?`;
const span = new RegExp(`^${clock}-${clock}$`);

/**
 * Hours as people write them: `mon-fri 9-12,13:30-17`. An end at or before the begin is on the next day.
 * @throws Problem invalid USAGE
 */
export function windowsFrom(all: readonly string[]): Window[] {
  return all.flatMap((text) => {
    const [named = '', times = '', ...more] = text.trim().toLowerCase().split(/\s+/);
    const weekdays = daysFrom(named);
    const spans = times.split(',').map((one) => span.exec(one));
    if (weekdays === undefined || more.length > 0 || spans.includes(null)) throw wrongHours(text);
    return weekdays.flatMap((dayOfWeek) =>
      spans.map((found): Window => {
        const [, h1 = '', m1, h2 = '', m2] = found ?? [];
        return { dayOfWeek, startTime: timeFrom(h1, m1, text), endTime: timeFrom(h2, m2, text) };
      }),
    );
  });
}

function daysFrom(named: string): number[] | undefined {
  const found: number[] = [];
  for (const part of named.split(',')) {
    const [first = '', last = first] = part.split('-').map((name) => name.slice(0, 3));
    const [from, to] = [days.indexOf(first), days.indexOf(last)];
    if (from === -1 || to === -1) return undefined;
    for (let day = from; ; day = (day + 1) % 7) {
      found.push(day);
      if (day === to) break;
    }
  }
  return [...new Set(found)];
}

function timeFrom(hour: string, minute = '00', text = ''): string {
  const time = `${hour.padStart(2, '0')}:${minute}`;
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(time)) throw wrongHours(text);
  return time;
}

function wrongHours(text: string): Problem {
  const message = `--hours ${JSON.stringify(text)}: write days and times such as "mon-fri 9-12,13:30-17".`;
  return new Problem('invalid', 'USAGE', message);
}
