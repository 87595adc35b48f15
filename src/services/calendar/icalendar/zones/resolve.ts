import { componentsOf, propertyOf, textOf, withProperties, type JcalComponent } from '../jcal.ts';
import { definitionOf, nameOf, offsetOfWall, transitionsIn, type ZoneDefinition } from './definition.ts';
import { commonZones, zoneOfName } from './names.ts';
import { fixedZone } from './fixed-zone.ts';
import type { Transition, Zones } from './zone-times.ts';
import { wallMs } from '../text/times.ts';

/** Says in a stored VTIMEZONE which zone it was found to be, if its name doesn't. It is never written into files. */
const zoneProperty = 'x-conclave-zone';

export interface ResolvedZone {
  /** undefined: nobody knows, and times are those of whatever zone one is in */
  readonly zone?: string;
  readonly by: 'name' | 'rules' | 'offset' | 'none';
  /** whether its definition has another offset than the zone of its name, which wins */
  readonly differs: boolean;
}

/**
 * The zone that a TZID means: by its name; else the one whose offsets are those of its definition in the two years from this time on; else
 * the offset that the definition has at it.
 *
 * @param match whether zones are compared with the definition, which takes some milliseconds
 */
export function resolveZone(
  tzid: string,
  component: JcalComponent | undefined,
  wall: string,
  zones: Zones,
  match = true,
): ResolvedZone {
  const definition = component === undefined ? undefined : definitionOf(component);
  const named = zoneOfName(tzid, zones) ?? placeOf(component, zones);
  if (named !== undefined) {
    const differs = match && definition !== undefined && !agrees(definition, named, wall, zones);
    return { zone: named, by: 'name', differs };
  }
  if (definition === undefined) return { by: 'none', differs: false };
  const matching = match ? matchingZone(definition, wall, zones) : undefined;
  if (matching !== undefined) return { zone: matching, by: 'rules', differs: false };
  const fixed = fixedZone(offsetOfWall(definition, wall));
  return fixed === undefined ? { by: 'none', differs: false } : { zone: fixed, by: 'offset', differs: false };
}

/** Where programs that invent TZIDs say which zone they mean. */
function placeOf(component: JcalComponent | undefined, zones: Zones): string | undefined {
  const place = component === undefined ? '' : textOf(propertyOf(component, 'x-lic-location'));
  return place === '' ? undefined : zones.named(place);
}

/** The year of a time, and the moments at which it and the year after the next one begin. */
function yearsFrom(wall: string): { year: number; from: number; to: number } {
  const year = new Date(wallMs(wall)).getUTCFullYear();
  return { year, from: Date.UTC(year, 0, 1), to: Date.UTC(year + 2, 0, 1) };
}

function agrees(definition: ZoneDefinition, zone: string, wall: string, zones: Zones): boolean {
  const { year, from, to } = yearsFrom(wall);
  const { first, all } = transitionsIn(definition, from, to);
  return zones.offset(zone, from) === first && sameChanges(zones.transitions(zone, year, year + 1), all);
}

function sameChanges(some: readonly Transition[], others: readonly Transition[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ at, after }, index) => others[index]?.at === at && others[index].after === after)
  );
}

function matchingZone(definition: ZoneDefinition, wall: string, zones: Zones): string | undefined {
  const { year, from, to } = yearsFrom(wall);
  const { first, all } = transitionsIn(definition, from, to);
  const [change] = all;
  // Without daylight saving any zone of this offset would do, and each may get it one day.
  if (change === undefined) return fixedZone(first);
  return commonZones().find(
    (zone) =>
      // Most differ here already.
      zones.offset(zone, from) === first &&
      zones.offset(zone, change.at - 1000) === change.before &&
      zones.offset(zone, change.at) === change.after &&
      sameChanges(zones.transitions(zone, year, year + 1), all),
  );
}

/** The definition with the zone that it was found to be, where that isn't said by its name. */
export function withResolvedZone(
  component: JcalComponent,
  { zone }: ResolvedZone,
  tzid: string,
  zones: Zones,
): JcalComponent {
  const clean = withProperties(component, [zoneProperty], []);
  if (zone === undefined || zoneOfName(tzid, zones) === zone) return clean;
  return withProperties(clean, [zoneProperty], [[zoneProperty, {}, 'text', zone]]);
}

/**
 * The zones of TZIDs in a stored object.
 *
 * @param names of TZIDs that were looked up already; for many objects, give the same
 */
export function zonesIn(
  object: JcalComponent,
  zones: Zones,
  names = new Map<string, string | undefined>(),
): (tzid: string) => string | undefined {
  const found = new Map<string, string>();
  for (const component of componentsOf(object, 'vtimezone')) {
    const zone = zones.named(textOf(propertyOf(component, zoneProperty)));
    if (zone !== undefined) found.set(nameOf(component), zone);
  }
  return (tzid) => {
    const known = found.get(tzid);
    if (known !== undefined) return known;
    if (!names.has(tzid)) names.set(tzid, zoneOfName(tzid, zones));
    return names.get(tzid);
  };
}
