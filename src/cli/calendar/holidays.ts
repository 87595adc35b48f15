import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { CatalogEntry, Holiday } from '../../contract/calendar/holidays.ts';
import { Problem } from '../../base/problem.ts';
import { nearest } from '../kit/nearest.ts';
import { ambiguous } from '../kit/pick.ts';
import type { Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

interface HolidaysOfRegion {
  readonly region: CatalogEntry;
  readonly holidays: readonly Holiday[];
}

/** All countries and regions. @param year refused, as it says nothing without one of them */
export async function allRegions(client: Caller, year: number | undefined): Promise<CatalogEntry[]> {
  return (await perform(client, calendar.holidayCatalog, { year })).catalog;
}

/**
 * The holidays of a country or region by its id or name.
 * @param year without one, this year
 * @throws Problem missing NOT_FOUND with similar ones, conflict AMBIGUOUS
 */
export async function holidaysOf(client: Caller, named: string, year: number | undefined): Promise<HolidaysOfRegion> {
  const { id } = findRegion(await allRegions(client, undefined), named);
  const { catalog, holidays = [] } = await perform(client, calendar.holidayCatalog, { country: id, year });
  const [region] = catalog;
  if (region === undefined) throw new Problem('internal', 'INTERNAL_ERROR', 'The answer has no region.');
  return { region, holidays };
}

function findRegion(regions: readonly CatalogEntry[], named: string): CatalogEntry {
  const key = named.normalize('NFC').trim().toLowerCase();
  const whole = regions.find(({ id, displayName }) => id === key || displayName.toLowerCase() === key);
  if (whole !== undefined) return whole;
  const [one, ...others] = regions.filter(({ displayName }) => ownName(displayName) === key);
  if (one === undefined) throw unknownRegion(regions, named, key);
  if (others.length === 0) return one;
  throw ambiguous(
    named,
    [one, ...others].map(({ id, displayName: label }) => ({ id, label })),
  );
}

/** Without the country, or what else it lies in. */
function ownName(displayName: string): string {
  return displayName.replace(/, .*/, '').toLowerCase();
}

function unknownRegion(regions: readonly CatalogEntry[], named: string, key: string): Problem {
  const names = new Map(
    regions.flatMap((one) => [ownName(one.displayName), one.id].map((name) => [name, one] as const)),
  );
  const near = new Set(nearest(key, [...names.keys()]).flatMap((name) => names.get(name) ?? []));
  const meant = Array.from(near, ({ id, displayName }) => `${id} (${displayName})`).join(', ');
  const next =
    meant === '' ? 'To list those that are known, run: conclave calendar holidays' : `Did you mean: ${meant}?`;
  return new Problem('missing', 'NOT_FOUND', `There is no country or region ${JSON.stringify(named)}. ${next}`);
}

export function regionTable(screen: Screen, regions: readonly CatalogEntry[]): string {
  return table(screen, regions, [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'NAME', of: ({ displayName }) => displayName, main: true },
  ]);
}

export function holidayTable(screen: Screen, holidays: readonly Holiday[]): string {
  return table(screen, holidays, [
    { title: 'FROM', of: ({ date }) => date, whole: true },
    { title: 'TO', of: lastDay, whole: true },
    { title: 'NAME', of: ({ name }) => name, main: true },
    { title: 'LOCAL NAME', of: ({ localName }) => localName },
    { title: 'NOTE', of: noteOf, spare: true },
  ]);
}

function lastDay({ date, endDate }: Holiday): string {
  if (endDate === undefined) return date;
  return new Date(Date.parse(endDate) - 86_400_000).toISOString().slice(0, 10);
}

function noteOf({ type, note = '' }: Holiday): string {
  return [...(type === 'partial' ? ['part of the day'] : []), ...(note === '' ? [] : [note])].join('; ');
}
