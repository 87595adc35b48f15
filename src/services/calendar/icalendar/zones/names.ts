import { findIana, WINDOWS_TO_IANA_MAP } from 'windows-iana';
import { wholeNumber } from '../../../../base/whole-number.ts';
import { fixedZone } from './fixed-zone.ts';
import type { Zones } from './zone-times.ts';

/** Zones by the names that programs write into TZID. */

/** What Windows shows for zones that aren't named after cities. */
const shownNames: Readonly<Record<string, string>> = {
  'eastern time (us & canada)': 'America/New_York',
  'central time (us & canada)': 'America/Chicago',
  'mountain time (us & canada)': 'America/Denver',
  'pacific time (us & canada)': 'America/Los_Angeles',
  'atlantic time (canada)': 'America/Halifax',
  'indiana (east)': 'America/Indiana/Indianapolis',
  'central america': 'America/Guatemala',
  'coordinated universal time': 'UTC',
  'west central africa': 'Africa/Lagos',
  alaska: 'America/Anchorage',
  arizona: 'America/Phoenix',
  azores: 'Atlantic/Azores',
  brasilia: 'America/Sao_Paulo',
  'cabo verde is.': 'Atlantic/Cape_Verde',
  greenland: 'America/Nuuk',
  hawaii: 'Pacific/Honolulu',
  newfoundland: 'America/St_Johns',
  saskatchewan: 'America/Regina',
};

/**
 * The IANA zone that a TZID means by its name: its own, one behind a prefix (`/mozilla.org/20050126_1/Europe/Berlin`), one of Windows, what
 * Outlook shows (`(UTC+01:00) Amsterdam, Berlin`), or an offset (`GMT+0100`).
 */
export function zoneOfName(tzid: string, zones: Zones): string | undefined {
  const name = tzid.trim().replaceAll(/^"|"$/g, '').trim();
  return (
    zones.named(name) ??
    prefixed(name, zones) ??
    (/^tzone:\/\/microsoft\/utc$/i.test(name) ? 'UTC' : undefined) ??
    windowsZone(name) ??
    offsetNamed(name) ??
    shown(name, zones)
  );
}

function prefixed(name: string, zones: Zones): string | undefined {
  if (!name.startsWith('/')) return undefined;
  const parts = name.split('/').slice(2);
  for (const count of [3, 2, 1]) {
    const zone = parts.length < count ? undefined : zones.named(parts.slice(-count).join('/'));
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function windowsZone(name: string): string | undefined {
  const [zone] = findIana(name);
  if (zone !== undefined) return zone;
  const lower = name.toLowerCase();
  return WINDOWS_TO_IANA_MAP.find(({ windowsName }) => windowsName.toLowerCase() === lower)?.iana[0];
}

/** One zone for each that Windows knows: all rules of today are among theirs. */
export function commonZones(): string[] {
  const general = WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001');
  return [...new Set(general.flatMap(({ iana: [zone] }) => zone ?? []))];
}

const offsetForm = /^(?:GMT|UTC)?\s*([+-])(\d{1,2})[:.]?(\d{2})?$/i;

function offsetNamed(name: string): string | undefined {
  const offset = offsetOf(offsetForm.exec(name));
  return offset === undefined ? undefined : fixedZone(offset);
}

function offsetOf(parts: RegExpExecArray | null): number | undefined {
  if (parts === null) return undefined;
  const [, sign, hours = '', minutes = '00'] = parts;
  const ahead = (wholeNumber(hours) ?? 0) * 60 + (wholeNumber(minutes) ?? 0);
  return ahead > 14 * 60 ? undefined : (sign === '-' ? -1 : 1) * ahead * 60_000 || 0;
}

/** @param name such as `(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna`; old programs leave out the offset */
function shown(name: string, zones: Zones): string | undefined {
  const [, offset, rest = name] = /^\(((?:GMT|UTC)[^)]*)\)\s*(.*)$/i.exec(name) ?? [];
  const known = shownNames[rest.toLowerCase()];
  if (known !== undefined) return known;
  if (offset === undefined && !rest.includes(',')) return undefined;
  const wanted = offset === undefined ? undefined : (offsetOf(offsetForm.exec(offset)) ?? 0);
  // The list of cities is short, and so is each.
  const all = Intl.supportedValuesOf('timeZone');
  for (const city of rest.slice(0, 200).split(',').slice(0, 10)) {
    const zone = zoneOfCity(city.trim(), all);
    if (zone !== undefined && (wanted === undefined || hasOffset(zone, wanted, zones))) return zone;
  }
  return undefined;
}

/** Cities that the list of zones has under an older name. */
const renamed: Readonly<Record<string, string>> = {
  kathmandu: 'Asia/Kathmandu',
  kolkata: 'Asia/Kolkata',
  kyiv: 'Europe/Kyiv',
  nuuk: 'America/Nuuk',
  yangon: 'Asia/Yangon',
};

function zoneOfCity(city: string, all: readonly string[]): string | undefined {
  const place = city.replaceAll(/[ .]+/g, '_').toLowerCase();
  if (!/^[a-z][\w-]{2,30}$/.test(place)) return undefined;
  return renamed[place] ?? all.find((zone) => zone.toLowerCase().endsWith(`/${place}`));
}

/** Whether it has this offset in winter or in summer, in the year by whose rules Windows names its zones. */
function hasOffset(zone: string, wanted: number, zones: Zones): boolean {
  return [Date.UTC(2024, 0, 15), Date.UTC(2024, 6, 15)].some((at) => zones.offset(zone, at) === wanted);
}
