import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { schedulingLimits } from '../../contract/calendar/limits.ts';
import type { scheduling } from '../../contract/calendar/scheduling.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem } from '../../base/problem.ts';
import { membersNamed, type NamedMember } from '../../shared/members/named.ts';
import { momentIn, type TimeRange } from './events/range.ts';
import { zonesOf } from './objects/known-zones.ts';
import { DAY } from './recurrence/civil.ts';
import { busyIn } from './scheduling/busy-in.ts';
import { findTimes, type Invitee, type TimeSlot } from './scheduling/find-times.ts';
import type { BusyTime } from './scheduling/merge-busy.ts';
import { visibleCalendars } from './scheduling/visible-calendars.ts';
import { hoursIn, timeOfDay, usualWindows } from './scheduling/working-hours.ts';
import { requireZone, zoneOfMember } from './zones.ts';

type Contract = typeof scheduling;

const MINUTE = 60_000;

export async function freeBusy(
  ctx: Context,
  { memberId }: Actor,
  input: InputOf<Contract['freeBusy']>,
): Promise<ReplyOf<Contract['freeBusy']>> {
  const { zone, range } = await rangeOf(ctx, memberId, input);
  const { people, errors } = await timesOf(ctx, memberId, input.userIds, range);
  return {
    freeBusy: people.map(({ member: { id, username }, busy }) => ({ userId: id, username, slots: busy.map(toSlot) })),
    rangeStart: new Date(range.from).toISOString(),
    rangeEnd: new Date(range.to).toISOString(),
    timezone: zone,
    errors,
  };
}

function toSlot({ start, end, type }: BusyTime) {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString(), type };
}

export async function findAvailableTimes(
  ctx: Context,
  { memberId }: Actor,
  input: InputOf<Contract['findAvailableTimes']>,
): Promise<ReplyOf<Contract['findAvailableTimes']>> {
  const { zone, range } = await rangeOf(ctx, memberId, input);
  const { requiredAttendees: required, optionalAttendees: optional, durationMinutes, bufferMinutes } = input;
  if (required.length + optional.length > schedulingLimits.people)
    throw fieldProblem(
      'optionalAttendees',
      `must be at most ${schedulingLimits.people} together with the required ones`,
    );
  const buffer = bufferMinutes * MINUTE;
  // What touches the range from outside is within the buffer of what begins or ends there.
  const around = { from: range.from - buffer, to: range.to + buffer };
  const { people, errors } = await timesOf(ctx, memberId, [...required, ...optional], around);
  const zones = zonesOf(ctx);
  const { workingHours: usual, workingHoursOf = [] } = input;
  const usualHours = hoursIn(
    usual?.windows ?? usualWindows,
    zoneNamed(usual?.timezone, zone, 'workingHours'),
    range,
    zones,
  );
  const owners = await membersNamed(
    ctx,
    workingHoursOf.map(({ userId }) => userId),
  );
  const ownHours = new Map(
    workingHoursOf.map(({ windows, timezone }, at) => [
      owners[at]?.id,
      hoursIn(windows, zoneNamed(timezone, zone, `workingHoursOf.${at}`), range, zones),
    ]),
  );
  const invitees = people.map(({ member: { id }, first, busy }): Invitee => ({
    id,
    required: first < required.length,
    busy,
    hours: ownHours.get(id) ?? usualHours,
  }));
  if (!invitees.some((invitee) => invitee.required)) return { slots: [], timezone: zone, errors };
  const slots = findTimes(
    {
      invitees,
      range,
      duration: durationMinutes * MINUTE,
      interval: input.slotIntervalMinutes * MINUTE,
      buffer,
      earliest: input.earliest === undefined ? 0 : timeOfDay(input.earliest),
      latest: input.latest === undefined ? Infinity : timeOfDay(input.latest),
      most: input.maxResults,
      partial: input.includePartial,
    },
    zone,
    zones,
  );
  return {
    slots: slots.map(toFound),
    timezone: zone,
    errors,
  };
}

function toFound(slot: TimeSlot): ReplyOf<Contract['findAvailableTimes']>['slots'][number] {
  const { start, end, score, requiredFree, optionalFree, duringWorkingHours, conflicts } = slot;
  return {
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    score,
    requiredFreeCount: requiredFree,
    optionalFreeCount: optionalFree,
    duringWorkingHours,
    ...(conflicts.length > 0 && { conflicts: [...conflicts] }),
  };
}

function zoneNamed(name: string | undefined, otherwise: string, field: string): string {
  return name === undefined ? otherwise : requireZone(name, `${field}.timezone`);
}

async function rangeOf(
  ctx: Context,
  memberId: string,
  { rangeStart, rangeEnd, timezone }: Pick<InputOf<Contract['freeBusy']>, 'rangeStart' | 'rangeEnd' | 'timezone'>,
): Promise<{ readonly zone: string; readonly range: TimeRange }> {
  const zone = timezone === undefined ? await zoneOfMember(ctx, memberId) : requireZone(timezone, 'timezone');
  const zones = zonesOf(ctx);
  const from = momentIn(rangeStart, 'rangeStart', zone, zones);
  const to = momentIn(rangeEnd, 'rangeEnd', zone, zones);
  if (to <= from) throw fieldProblem('rangeEnd', 'must be later than the begin');
  if (to - from > schedulingLimits.days * DAY)
    throw fieldProblem('rangeEnd', `must be at most ${schedulingLimits.days} days later than the begin`);
  return { zone, range: { from, to } };
}

interface Asked {
  readonly member: NamedMember;
  /** the place of the name in the request, the first one of several */
  readonly first: number;
  readonly busy: readonly BusyTime[];
}

/** When members are busy, as far as the caller sees it; each once, in the order of the names. */
async function timesOf(ctx: Context, memberId: string, names: readonly string[], range: TimeRange) {
  const named = await membersNamed(ctx, names);
  const members = new Map(named.flatMap((member, at) => (member === undefined ? [] : [[at, member] as const])));
  const ids = new Set([...members.values()].map(({ id }) => id));
  // Names that mean nobody are asked for likewise, so that they take as much work as others.
  const calendars = await visibleCalendars(ctx, memberId, ids.size === 0 ? [NOBODY] : [...ids]);
  const times = await busyIn(ctx, calendars, range);
  const people: Asked[] = [];
  const hidden = new Set<string>();
  for (const [first, name] of names.entries()) {
    const member = members.get(first);
    const busy = member && times.get(member.id);
    if (member === undefined || busy === undefined) hidden.add(name);
    else if (!people.some((one) => one.member.id === member.id)) people.push({ member, first, busy });
  }
  const errors = Object.fromEntries(Array.from(hidden, (name) => [name, HIDDEN]));
  return { people, errors };
}

/** The same for who is not there, and for whoever's time the caller does not see. */
const HIDDEN = {
  code: 'NOT_VISIBLE',
  message: 'You do not see when this member has time. Ask them to share a calendar with you.',
} as const;

/** No member has this id. */
const NOBODY = '';
