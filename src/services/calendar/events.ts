import { randomUUID } from 'node:crypto';
import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Event } from '../../contract/calendar/event.ts';
import type { events } from '../../contract/calendar/events.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem } from '../../base/problem.ts';
import { once } from '../../service/repeats.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar, type OpenCalendar } from './access.ts';
import { toEvent, toInstance } from './events/dto.ts';
import { findOccurrence } from './events/find-occurrence.ts';
import { instancesIn } from './events/instances-in.ts';
import { listChanges } from './events/list-changes.ts';
import { listInstances as listInRange } from './events/list.ts';
import { assertRange, momentIn } from './events/range.ts';
import { showInstances } from './events/show.ts';
import { deleteEvent as remove, updateEvent as update } from './events/update.ts';
import { newEvent } from './icalendar/fields/change.ts';
import type { JcalComponent } from './icalendar/jcal.ts';
import { announceChange } from './invitations/announce.ts';
import { organized, prepareAttendees, type Invited } from './invitations/invite.ts';
import { calendarsIn, openRow, requireObject, splitId, type OpenObject } from './objects/read.ts';
import { insertObject } from './objects/write.ts';
import { zonesOf, zonesOfObject } from './objects/known-zones.ts';
import { defaultCalendar, openContentKey } from './own-calendars.ts';
import { requireZone, zoneOfMember } from './zones.ts';

type Contract = typeof events;

export async function createEvent(
  ctx: Context,
  actor: Actor,
  { calendarId, uid, notify, ...given }: InputOf<Contract['createEvent']>,
): Promise<ReplyOf<Contract['createEvent']>> {
  const { memberId } = actor;
  const { id } = calendarId === undefined ? await defaultCalendar(ctx, memberId) : { id: calendarId };
  const { owner_id: ownerId } = await requireCalendar(ctx, memberId, id, 'editor');
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      // Whoever gives the calendar another zone waits, or was before.
      const invited = await prepareAttendees(tx, { owner_id: ownerId }, given, undefined);
      const calendar = await requireCalendar(tx, memberId, id, 'editor');
      const object = await newObject(tx, calendar, uid ?? randomUUID(), invited);
      const key = openContentKey(tx, calendar);
      try {
        const row = await insertObject(tx, { ...calendar, key }, { object, createdBy: memberId });
        if (notify) await announceChange(tx, { calendar, actorId: memberId, before: undefined, after: object });
        return { event: demand(toEvent(openRow(tx, calendar, key, row), { memberId, calendar })) };
      } finally {
        key.fill(0);
      }
    });
  });
}

async function newObject(
  tx: Context,
  calendar: OpenCalendar,
  uid: string,
  { given, memberOf }: Invited,
): Promise<JcalComponent> {
  const zones = zonesOfObject(zonesOf(tx), calendar.zone, ['vcalendar', [], []]);
  const event = newEvent(uid, given, { ...zones, now: tx.clock.now(), memberOf });
  return await organized(tx, calendar, ['vcalendar', [], [event]]);
}

function demand(event: Event | undefined): Event {
  if (event === undefined) throw new Error('an event that was just written is none');
  return event;
}

export async function listEvents(
  ctx: Context,
  { memberId }: Actor,
  input: InputOf<Contract['listEvents']>,
): Promise<ReplyOf<Contract['listEvents']>> {
  const calendars = await calendarsIn(ctx, memberId, input.calendarId);
  const zone =
    input.timezone === undefined ? await zoneOfMember(ctx, memberId) : requireZone(input.timezone, 'timezone');
  const zones = zonesOf(ctx);
  const moment = (text: string | undefined, field: string): number | undefined =>
    text === undefined ? undefined : momentIn(text, field, zone, zones);
  const from = moment(input.start ?? input.from ?? input.timeMin, 'start');
  const to = moment(input.end ?? input.to ?? input.timeMax, 'end');
  if (from === undefined && to === undefined) {
    if (input.expand === 'true') throw fieldProblem('expand', 'needs start and end');
    const updatedSince = moment(input.updatedSince, 'updatedSince');
    const wanted = { memberId, calendars, updatedSince, syncToken: input.syncToken };
    const { events: found, deleted, next, syncToken } = await listChanges(ctx, wanted, input);
    return {
      events: found,
      ...(input.syncToken !== undefined && { deleted }),
      ...(next.cursor !== undefined && { nextCursor: next.cursor }),
      ...(syncToken !== undefined && { syncToken }),
    };
  }
  if (from === undefined) throw fieldProblem('start', 'is required together with end');
  if (to === undefined) throw fieldProblem('end', 'is required together with start');
  for (const field of ['updatedSince', 'syncToken'] as const)
    if (input[field] !== undefined) throw fieldProblem(field, 'cannot be given together with a range');
  if (input.expand === 'false') throw fieldProblem('expand', 'must be true for a range');
  const range = { from, to };
  assertRange(range);
  const { rows, next } = await listInRange(ctx, { memberId, calendars, range }, input);
  return { events: rows, ...(next.cursor !== undefined && { nextCursor: next.cursor }) };
}

export async function showEvent(
  ctx: Context,
  { memberId }: Actor,
  { id }: InputOf<Contract['showEvent']>,
): Promise<ReplyOf<Contract['showEvent']>> {
  const { open, calendar, occurrence } = await openEvent(ctx, memberId, id);
  const reader = { memberId, calendar };
  if (occurrence === undefined) return { event: demandThere(toEvent(open, reader)) };
  const instance = findOccurrence(open, occurrence);
  return { event: demandThere(instance && toInstance(open, instance, reader)) };
}

function demandThere(event: Event | undefined): Event {
  if (event === undefined) throw notThere('event');
  return event;
}

async function openEvent(
  ctx: Context,
  memberId: string,
  id: string,
): Promise<{ open: OpenObject; calendar: OpenCalendar; occurrence: string | undefined }> {
  const { objectId, occurrence } = splitId(id);
  const { calendar, row } = await requireObject(ctx, memberId, objectId, 'viewer');
  const key = openContentKey(ctx, calendar);
  try {
    return { open: openRow(ctx, calendar, key, row), calendar, occurrence };
  } finally {
    key.fill(0);
  }
}

export async function listInstances(
  ctx: Context,
  { memberId }: Actor,
  { id, start, end, timezone }: InputOf<Contract['listInstances']>,
): Promise<ReplyOf<Contract['listInstances']>> {
  const { open, calendar } = await openEvent(ctx, memberId, id);
  const zone = timezone === undefined ? await zoneOfMember(ctx, memberId) : requireZone(timezone, 'timezone');
  const zones = zonesOf(ctx);
  const range = { from: momentIn(start, 'start', zone, zones), to: momentIn(end, 'end', zone, zones) };
  assertRange(range);
  const rows = await instancesIn(ctx, [calendar], range, 10_000);
  return {
    events: await showInstances(
      ctx,
      memberId,
      [calendar],
      rows.filter((row) => row.object_id === open.row.id),
    ),
  };
}

export async function updateEvent(
  ctx: Context,
  actor: Actor,
  {
    id,
    ifMatch,
    modificationMode: mode,
    recurrenceId,
    sequence,
    calendarId,
    notify,
    ...given
  }: InputOf<Contract['updateEvent']>,
): Promise<ReplyOf<Contract['updateEvent']>> {
  return await update(ctx, actor, { id, ifMatch, mode, recurrenceId, sequence, notify }, { calendarId, given });
}

export async function deleteEvent(
  ctx: Context,
  actor: Actor,
  { id, ifMatch, mode, modificationMode, recurrenceId, notify }: InputOf<Contract['deleteEvent']>,
): Promise<{ success: true }> {
  await remove(ctx, actor, {
    id,
    ifMatch,
    mode: mode ?? modificationMode,
    recurrenceId,
    notify: notify !== 'false',
  });
  return { success: true };
}
