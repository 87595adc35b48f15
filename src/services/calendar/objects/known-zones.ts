import type { Context } from '../../../service/context.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { FieldZones } from '../icalendar/fields/times.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { zonesIn } from '../icalendar/zones/resolve.ts';
import { createZones, type Zones } from '../recurrence/zones.ts';

/** The version of the zones that this process knows: instances that were computed with another one are computed anew. */
export const zonesVersion = process.versions.tz ?? '';

/** What was looked up of time zones, for as long as the store is open. */
const known = new WeakMap<Database, Zones>();

export function zonesOf({ store }: Pick<Context, 'store'>): Zones {
  let zones = known.get(store);
  if (zones === undefined) {
    zones = createZones();
    known.set(store, zones);
  }
  return zones;
}

/** What names of zones mean, which takes long to find out. Files may have any number of invented ones. */
const names = new WeakMap<Zones, Map<string, string | undefined>>();
const MOST_NAMES = 1_000;

function namesOf(zones: Zones): Map<string, string | undefined> {
  const found = names.get(zones);
  if (found !== undefined && found.size < MOST_NAMES) return found;
  const fresh = new Map<string, string | undefined>();
  names.set(zones, fresh);
  return fresh;
}

/** The zones in which times of an object are read, and when it happens. */
export interface ObjectZones extends FieldZones {
  readonly zones: Zones;
}

/** @param zone of its calendar */
export function zonesOfObject(zones: Zones, zone: string, object: JcalComponent): ObjectZones {
  return { zone, zones, zoneOf: zonesIn(object, zones, namesOf(zones)) };
}
