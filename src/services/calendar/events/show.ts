import type { Context } from '../../../service/context.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import type { OpenCalendar } from '../access.ts';
import { openObjects, type OpenObject } from '../objects/read.ts';
import { knownInstances, openSeries, wallOfKey, type Instance } from '../recurrence/open-series.ts';
import type { ChangedInstance } from '../objects/series.ts';
import { openBusyIds, toBusyBlock, toEvent, toInstance } from './dto.ts';
import type { EventInstance } from '../objects/runs.ts';

/** Instances as their reader sees them, in the same order. */
export async function showInstances(
  ctx: Context,
  memberId: string,
  calendars: readonly OpenCalendar[],
  rows: readonly EventInstance[],
): Promise<Event[]> {
  const byId = new Map(calendars.map((calendar) => [calendar.id, calendar]));
  const readable = rows.filter((row) => byId.get(row.calendar_id)?.permission !== 'freebusy');
  const objects = await openObjects(
    ctx,
    byId,
    readable.map((row) => row.object_id),
  );
  const series = new Map<string, ReturnType<typeof instancesOf>>();
  using busyIds = openBusyIds(ctx);
  return rows.flatMap((row) => {
    const calendar = byId.get(row.calendar_id);
    if (calendar === undefined) return [];
    if (calendar.permission === 'freebusy')
      return row.opaque === 1 ? [toBusyBlock(busyIds.of(row), row, calendar)] : [];
    const open = objects.get(row.object_id);
    if (open === undefined) return [];
    const reader = { memberId, calendar };
    if (!isSeries(open)) return toEvent(open, reader) ?? [];
    const instanceAt = series.get(row.object_id) ?? instancesOf(open);
    series.set(row.object_id, instanceAt);
    const instance = instanceAt(row.recurrence);
    return instance === undefined ? [] : (toInstance(open, instance, reader) ?? []);
  });
}

/** Whether an object has more than one instance, or could have. */
export function isSeries({ series: { rules, rdates, overrides } }: OpenObject): boolean {
  return rules.length > 0 || rdates.length > 0 || overrides.length > 0;
}

/** Instances of a series by their keys. */
function instancesOf({
  series,
  zones: { zones, zone },
}: OpenObject): (key: number) => Instance<ChangedInstance> | undefined {
  if (series.overrides.length === 0 && series.rdates.length === 0) return knownInstances(series, { zones, zone });
  const { set, replaced, instance } = openSeries(series, { zones, zone });
  return (key) => {
    if (replaced.has(key)) return replaced.get(key);
    return instance(set.explicit.find((item) => item.key === key) ?? { key, wall: wallOfKey(key, set.frame) });
  };
}
