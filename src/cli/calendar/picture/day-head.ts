import { monthNames, weekdayNames, weekdayOf } from '../wall-clock.ts';
import { cell, type PictureLook } from './look.ts';

/** Which day it is, and whether it is today or chosen; without colours it can be seen too. */
export interface Marked {
  readonly at: number;
  readonly isToday: boolean;
  readonly isChosen: boolean;
}

/** `Wednesday 2 December`, or less where there is less room for one of them. */
export function weekHeads(
  days: readonly Marked[],
  columns: readonly number[],
  { measure, paint }: PictureLook,
): string[] {
  const all = forms.map((form) => days.map((one) => markedText(form(one.at), one.isToday, one.isChosen)));
  const texts = all.find((each) => each.every((text, index) => text.length <= (columns[index] ?? 0))) ?? all.at(-1);
  return days.map(({ isToday, isChosen }, index) => {
    const text = cell(texts?.[index] ?? '', columns[index] ?? 0, measure);
    return isToday || isChosen ? paint('bold', text) : text;
  });
}

const forms = [
  (at: number) => `${weekdayOfDay(at)} ${numberOf(at)} ${monthOf(at)}`,
  (at: number) => `${weekdayOfDay(at).slice(0, 3)} ${numberOf(at)} ${monthOf(at).slice(0, 3)}`,
  (at: number) => `${weekdayOfDay(at).slice(0, 3)} ${numberOf(at)}`,
  (at: number) => String(numberOf(at)),
];

function weekdayOfDay(at: number): string {
  return weekdayNames[weekdayOf(at)] ?? '';
}

function numberOf(at: number): number {
  return new Date(at).getUTCDate();
}

function monthOf(at: number): string {
  return monthNames[new Date(at).getUTCMonth()] ?? '';
}

/** `[30*]` */
export function markedText(text: string, isToday: boolean, isChosen: boolean): string {
  const said = isToday ? `${text}*` : text;
  return isChosen ? `[${said}]` : ` ${said}`;
}
