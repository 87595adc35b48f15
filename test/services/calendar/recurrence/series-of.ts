import { expand, type Range } from '../../../../src/services/calendar/recurrence/expand.ts';
import type { Instance, Reader } from '../../../../src/services/calendar/recurrence/open-series.ts';
import { parseRule } from '../../../../src/services/calendar/recurrence/rule-text.ts';
import type { Override, Series } from '../../../../src/services/calendar/recurrence/series.ts';
import { parseSpan } from '../../../../src/services/calendar/recurrence/span.ts';
import { createZones } from '../../../../src/services/calendar/recurrence/zones.ts';

export const zones = createZones();

type Given = Partial<Omit<Series, 'rules' | 'duration' | 'overrides'>> & {
  overrides?: readonly Override[];
  duration?: string;
};

/** An hour each, or a day each; in New York, as the examples of the RFC are. */
export function seriesOf(start: string, rule: string | readonly string[], given: Given = {}): Series {
  const { duration = start.includes('T') ? 'PT1H' : 'P1D', ...more } = given;
  return {
    start,
    zone: 'America/New_York',
    rdates: [],
    exdates: [],
    overrides: [],
    ...more,
    rules: [rule].flat().map(parseRule),
    duration: parseSpan(duration),
  };
}

export function instancesOf(
  series: Series,
  range: Partial<Omit<Range, 'from' | 'to'>> & { from?: string; to?: string } = {},
  reader: Partial<Reader> = {},
): Instance[] {
  const { from = '1900-01-01', to = '2100-01-01', limit = 1000 } = range;
  return expand(series, { from: Date.parse(from), to: Date.parse(to), limit }, { zones, ...reader }).instances;
}

/** Where instances start, as their zone writes it. */
export function startsOf(...args: Parameters<typeof instancesOf>): string[] {
  return instancesOf(...args).map(({ startAt }) => startAt);
}
