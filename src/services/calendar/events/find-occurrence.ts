import type { RuleErrorCode } from '../recurrence/rule-error.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { findInstance } from '../recurrence/expand.ts';
import type { Instance } from '../recurrence/open-series.ts';
import type { OpenObject } from '../objects/read.ts';
import type { ChangedInstance } from '../objects/series.ts';

/**
 * An instance by the second half of its id, or by the time at which the rule put it.
 * @returns undefined if there is none
 */
export function findOccurrence({ series, zones }: OpenObject, at: string): Instance<ChangedInstance> | undefined {
  try {
    return findInstance(series, { at: extended(at) }, { zones: zones.zones, zone: zones.zone });
  } catch (error) {
    if (error instanceof RuleError && notOne.has(error.code)) return undefined;
    throw error;
  }
}

const notOne: ReadonlySet<RuleErrorCode> = new Set<RuleErrorCode>(['INVALID_TIME', 'TOO_COMPLEX']);

/** `20260329T120000Z` as ISO 8601 has it; what has dashes stays. */
function extended(text: string): string {
  const [, year, month, day, hour, minute, second, zone = ''] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text) ?? [];
  if (year === undefined) return text;
  return `${year}-${month}-${day}${hour === undefined ? '' : `T${hour}:${minute}:${second}${zone}`}`;
}
