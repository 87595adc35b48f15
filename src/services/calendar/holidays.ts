import { createHash } from 'node:crypto';
import type { Guest } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { CatalogEntry, holidays as contract } from '../../contract/calendar/holidays.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import type { Download } from '../../service/raw-bodies.ts';
import { ownUrl } from './address.ts';
import { holidaysIn, readHolidays, type Holidays, type Region } from './holidays/data.ts';
import { holidayIcs as icsOf } from './holidays/holiday-ics.ts';

type Contract = typeof contract;

const MAX_AGE_SECONDS = 86_400;

/** @throws Problem missing NOT_FOUND, invalid VALIDATION_ERROR for a year that is not known, or a year without a country */
export async function holidayCatalog(
  ctx: Context,
  _guest: Guest,
  { country, year }: InputOf<Contract['holidayCatalog']>,
): Promise<ReplyOf<Contract['holidayCatalog']>> {
  const known = await readHolidays();
  const base = ownUrl(ctx);
  const catalog = (regions: Iterable<Region>) => Array.from(regions, (region) => toEntry(region, base));
  if (country === undefined) {
    if (year !== undefined) throw fieldProblem('country', 'is needed with a year');
    return { message: 'Holidays', catalog: catalog(known.regions.values()) };
  }
  const region = requireRegion(known, country);
  const asked = year ?? new Date(ctx.clock.now()).getUTCFullYear();
  const [first, last] = known.years;
  if (asked < first || asked > last)
    throw fieldProblem('year', `must be from ${first} to ${last}, the years whose holidays are known`);
  const inside = [...known.regions.values()].filter(({ id }) => id.startsWith(`${region.id}-`));
  return {
    message: 'Holidays',
    catalog: catalog([region, ...inside]),
    holidays: holidaysIn(known, region, asked),
  };
}

/** Those of all years that are known. @throws Problem missing NOT_FOUND */
export async function holidayIcs(
  _ctx: Context,
  _guest: Guest,
  { file }: InputOf<Contract['holidayIcs']>,
): Promise<Download> {
  const known = await readHolidays();
  const region = requireRegion(known, file.replace(/\.ics$/, ''));
  const [first, last] = known.years;
  const years = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const holidays = years.flatMap((year) => holidaysIn(known, region, year));
  const content = icsOf({ id: region.id, name: region.name, made: known.made }, holidays);
  return {
    type: 'text/calendar; charset=utf-8',
    content,
    filename: file,
    version: createHash('sha256').update(content).digest('base64url'),
    headers: { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` },
  };
}

function requireRegion({ regions }: Holidays, id: string): Region {
  const region = regions.get(id);
  if (region === undefined)
    throw new Problem('missing', 'NOT_FOUND', 'The holidays of this country or region are not known.');
  return region;
}

function toEntry({ id, name, localName }: Region, base: string): CatalogEntry {
  const called = localName === undefined ? name : `${name} (${localName})`;
  return {
    id,
    displayName: name,
    description: `Public holidays in ${called}`,
    region: id.toUpperCase(),
    category: 'public',
    icsUrl: `${base}/api/cal/holiday-catalog/${id}.ics`,
  };
}
