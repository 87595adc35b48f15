import { Flags } from '@oclif/core';
import { Problem } from '../../base/problem.ts';
import { readDay, type Reader } from './plain-words.ts';
import { day, dayText } from './wall-clock.ts';

/** Which days are looked at. */
export const rangeFlags = {
  from: Flags.string({ description: 'first day: Monday, 12 May, 2026-05-12', helpValue: 'DAY', default: 'today' }),
  days: Flags.integer({ description: 'how many days', helpValue: 'N', default: 7, min: 1, max: 62 }),
  zone: Flags.string({ description: 'time zone in which times are shown', helpValue: 'ZONE' }),
};

/** The same, and what a time must be like. */
export const meetingFlags = {
  optional: Flags.string({
    description: 'who may come; may be repeated',
    helpValue: 'MEMBER',
    multiple: true,
    multipleNonGreedy: true,
  }),
  buffer: Flags.integer({ description: 'minutes before and after', helpValue: 'N', default: 0, min: 0, max: 1440 }),
  earliest: Flags.string({ description: 'time of day, such as 08:30', helpValue: 'TIME' }),
  latest: Flags.string({ description: 'time of day by which it ends', helpValue: 'TIME' }),
  ...rangeFlags,
};

export async function rangeInput(
  { from, days }: { readonly from: string; readonly days: number },
  reader: Reader,
): Promise<{ readonly rangeStart: string; readonly rangeEnd: string; readonly timezone: string }> {
  const first = await readDay(from, reader);
  return { rangeStart: dayText(first), rangeEnd: dayText(first + days * day), timezone: reader.clock.zone };
}

/** @throws Problem invalid USAGE */
export function namedMembers(argv: readonly unknown[]): string[] {
  if (argv.length === 0) throw new Problem('invalid', 'USAGE', 'Name at least one member.');
  return argv.map(String);
}

/** What to say of those whose time one does not see. */
export function hiddenWords(errors: Readonly<Record<string, unknown>>): string {
  return `You do not see the time of ${Object.keys(errors).join(', ')}: they must share a calendar with you, or be in a small group or channel with you.`;
}
