import { paramOf, type JcalProperty } from '../jcal.ts';
import { isDay } from '../text/times.ts';
import type { EventTime, FieldZones } from './times.ts';

const utcNames = new Set([
  'UTC',
  'Etc/UTC',
  'Etc/UCT',
  'Etc/Universal',
  'Etc/Zulu',
  'UCT',
  'Universal',
  'Zulu',
  'GMT',
  'Etc/GMT',
]);

/**
 * The property of a time.
 *
 * @param before what stood there, whose parameters stay; and its TZID, if that means the same zone
 */
export function timeProperty(
  name: string,
  time: EventTime,
  before: JcalProperty | undefined,
  { zoneOf }: Pick<FieldZones, 'zoneOf'>,
): JcalProperty {
  const { tzid: _, ...params } = before?.[1] ?? {};
  if (isDay(time.time)) return [name, params, 'date', time.time];
  const { zone } = time;
  if (zone === undefined) return [name, params, 'date-time', time.time];
  const named = before === undefined ? undefined : paramOf(before, 'tzid');
  if (named !== undefined && zoneOf(named) === zone) return [name, before?.[1] ?? {}, 'date-time', time.time];
  if (utcNames.has(zone)) return [name, params, 'date-time', `${time.time}Z`];
  return [name, { ...params, tzid: zone }, 'date-time', time.time];
}
