import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Holiday } from '../../../contract/calendar/holidays.ts';
import { builtFolder } from '../../../base/built-folder.ts';
import { oneFile } from '../../../base/one-file.ts';

/** What `scripts/holidays.mjs` writes. */
interface Data {
  /** the day on which it was written */
  readonly made: string;
  /** the first and the last year */
  readonly years: readonly [first: number, last: number];
  readonly countries: Readonly<Record<string, Country>>;
}

interface Country {
  readonly name: string;
  readonly local: string;
  /** those of all its regions */
  readonly holidays: readonly Row[];
  /** which of them it has everywhere */
  readonly own: readonly number[];
  /** by their ids behind the country's and a hyphen; each with which of the holidays it has, also those of the country */
  readonly regions: Readonly<Record<string, readonly [name: string, holidays: readonly number[]]>>;
}

/**
 * `local` is 0 if it is the same name. `days` has two digits of base 36 for each day, month and day, and commas between the years; without a
 * comma it is the same in each year. `length` is in days, 1 if it is left out, and 0 for a part of a day.
 */
type Row = readonly [name: string, local: string | 0, days: string, length?: number, note?: string];

/** A country, or a region of one. */
export interface Region {
  /** ISO 3166 in lower case, and for what is smaller than a state another part: `de`, `de-by`, `de-by-a` */
  readonly id: string;
  readonly name: string;
  /** the name of a country as it calls itself, if that is another one */
  readonly localName?: string;
  readonly holidays: readonly Row[];
}

export interface Holidays {
  readonly made: string;
  readonly years: readonly [first: number, last: number];
  /** in the order of their countries, and each country before its regions */
  readonly regions: ReadonlyMap<string, Region>;
}

const DAY_MS = 86_400_000;

let kept: Promise<Holidays> | undefined;

/** All that is known. It is read once, when somebody first asks. */
export async function readHolidays(): Promise<Holidays> {
  kept ??= readText().then((text) => fromData(JSON.parse(text) as Data));
  // What failed once may work the next time.
  kept.catch(() => (kept = undefined));
  return await kept;
}

async function readText(): Promise<string> {
  const file = oneFile();
  if (file !== undefined) return file.readText('dist/holidays.json');
  const folder = builtFolder();
  const path =
    folder === undefined ? fileURLToPath(new URL('data.json', import.meta.url)) : join(folder, 'holidays.json');
  return await readFile(path, 'utf8');
}

function fromData({ made, years, countries }: Data): Holidays {
  const regions = new Map<string, Region>();
  for (const [id, { name, local, holidays, own, regions: inner }] of Object.entries(countries)) {
    const rows = (places: readonly number[]) => places.flatMap((place) => (holidays[place] ? [holidays[place]] : []));
    regions.set(id, { id, name, ...(local !== name && { localName: local }), holidays: rows(own) });
    for (const [part, [partName, places]] of Object.entries(inner)) {
      const partId = `${id}-${part}`;
      regions.set(partId, { id: partId, name: `${partName}, ${name}`, holidays: rows(places) });
    }
  }
  return { made, years, regions };
}

/** Those that begin in a year, in order. @param year one that is known */
export function holidaysIn({ years: [first] }: Holidays, { holidays }: Region, year: number): Holiday[] {
  return holidays
    .flatMap((row) => daysIn(row[2], year - first).map((day) => toHoliday(row, `${year}-${day}`)))
    .toSorted((one, other) => compare(one.date, other.date) || compare(one.name, other.name));
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `MM-DD` */
function daysIn(days: string, index: number): string[] {
  const text = days.includes(',') ? (days.split(',')[index] ?? '') : days;
  return Array.from(text.matchAll(/../g), ([day]) =>
    Array.from(day, (digit) => String(digits.indexOf(digit)).padStart(2, '0')).join('-'),
  );
}

function toHoliday([name, local, , length = 1, note]: Row, date: string): Holiday {
  return {
    date,
    ...(length > 1 && { endDate: dayAfter(date, length) }),
    name,
    localName: local === 0 ? name : local,
    type: length === 0 ? 'partial' : 'public',
    ...(note !== undefined && { note }),
  };
}

/** A day so many days later. Both as `YYYY-MM-DD`. */
export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
