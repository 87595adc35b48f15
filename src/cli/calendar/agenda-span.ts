import { readDay, type Reader } from './plain-words.ts';
import type { Span } from './picture/placed.ts';
import { startOfMonth, startOfWeek, weeksOfMonth } from './picture/month-picture.ts';
import { day, dayWords, monthNames } from './wall-clock.ts';

/** What an agenda shows. */
export interface AgendaSpan extends Span {
  readonly picture: 'list' | 'week' | 'month';
  /** the first day that was asked for */
  readonly at: number;
}

export interface AgendaGiven {
  readonly from: string;
  readonly days?: number | undefined;
  readonly week?: boolean;
  readonly month?: boolean;
}

/** The days that somebody asks for: from one on, or the week or the month of it. @throws Problem invalid USAGE */
export async function agendaSpan(
  { from, days = 7, week = false, month = false }: AgendaGiven,
  reader: Reader,
): Promise<AgendaSpan> {
  const at = await readDay(from, reader);
  if (week) return { picture: 'week', at, from: startOfWeek(at), to: startOfWeek(at) + 7 * day };
  if (month) return { picture: 'month', at, from: startOfMonth(at), to: startOfMonth(at, 1) };
  return { picture: 'list', at, from: at, to: at + days * day };
}

/** What has to be read for it: a month has days of its neighbours beside it. */
export function readSpan(span: AgendaSpan, isPicture: boolean): Span {
  return isPicture && span.picture === 'month' ? weeksOfMonth(span.at) : span;
}

/** `Week 49, 30 November to 6 December 2026, Europe/Berlin` */
export function spanTitle({ picture, from, to }: AgendaSpan, zone: string): string {
  const date = new Date(from);
  const year = date.getUTCFullYear();
  if (picture === 'month') return `${monthNames[date.getUTCMonth()] ?? ''} ${year}, ${zone}`;
  const week = picture === 'week' ? `Week ${weekNumber(from)}, ` : '';
  return `${week}${dayWords(from)} to ${dayWords(to - day)}, ${zone}`;
}

/** ISO 8601: the first week of a year has its first Thursday. */
function weekNumber(monday: number): number {
  const thursday = monday + 3 * day;
  const first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
  return 1 + Math.floor((thursday - first) / (7 * day));
}
