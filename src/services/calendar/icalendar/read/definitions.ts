import { sha256Hex } from '../../../../crypto/hash.ts';
import type { JcalComponent } from '../jcal.ts';
import { resolveZone, withResolvedZone, type ResolvedZone } from '../zones/resolve.ts';
import type { Zones } from '../zones/zone-times.ts';
import { readComponent } from './component.ts';
import type { ReadProblem } from './problem.ts';
import type { Found, FoundCalendar } from './scan.ts';

/** A matching takes some milliseconds, so a file whose zones all need one ends with offsets. */
const mostMatched = 200;
/** Files have some; each event of some files has its own copy, and equal ones are one. */
const mostKept = 500;

interface Definition {
  readonly component?: JcalComponent;
  readonly warning?: Pick<ReadProblem, 'code' | 'message'>;
}

export interface Definitions {
  /**
   * The definition of a zone for an event of a calendar: that of the calendar, or of another one of the file.
   *
   * @param start when the event is, since zones change
   */
  of(tzid: string, calendar: FoundCalendar, start: string): Definition;
}

/** @param all the first definition of each name in the file */
export function definitionsOf(bytes: Uint8Array, all: ReadonlyMap<string, Found>, zones: Zones): Definitions {
  const kept = new Map<string, Definition>();
  let matched = 0;
  return {
    of(tzid, calendar, start) {
      const found = calendar.zones.get(tzid) ?? all.get(tzid);
      const usable = found?.bad === undefined ? found : undefined;
      const content = usable === undefined ? '' : sha256Hex(bytes.subarray(usable.start, usable.end));
      const key = `${content} ${start.slice(0, 4)} ${tzid}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const component = usable === undefined ? undefined : readComponent(bytes, usable).component;
      if (component !== undefined) matched += 1;
      const resolved = resolveZone(tzid, component, start, zones, matched <= mostMatched);
      const warning = warningOf(tzid, resolved);
      const definition = {
        ...(component !== undefined && { component: withResolvedZone(component, resolved, tzid, zones) }),
        ...(warning !== undefined && { warning }),
      };
      if (kept.size < mostKept) kept.set(key, definition);
      return definition;
    },
  };
}

function warningOf(
  tzid: string,
  { zone, by, differs }: ResolvedZone,
): Pick<ReadProblem, 'code' | 'message'> | undefined {
  const name = JSON.stringify(tzid.slice(0, 100));
  if (zone === undefined)
    return {
      code: 'ZONE_UNKNOWN',
      message: `The zone ${name} is unknown. Its times are floating: they are those of the zone of whoever looks.`,
    };
  if (differs)
    return {
      code: 'ZONE_DIFFERS',
      message: `The file describes the zone ${name} with other offsets than ${zone} has. Those of ${zone} count.`,
    };
  if (by === 'offset')
    return {
      code: 'ZONE_UNKNOWN',
      message: `No known zone is like ${name}. Its times are read with the offset of ${zone}.`,
    };
  return undefined;
}
