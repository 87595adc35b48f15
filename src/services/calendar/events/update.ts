import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Event, GivenEvent } from '../../../contract/calendar/event.ts';
import type { ModificationMode } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { announceChange } from '../invitations/announce.ts';
import { declineRemoved } from '../invitations/decline-removed.ts';
import {
  assertAttendeeMay,
  membersIn,
  organized,
  partOfOwner,
  prepareAttendees,
  type Invited,
} from '../invitations/invite.ts';
import type { Part } from '../itip/self.ts';
import { openContent, openOctets } from '../objects/content.ts';
import { openRow, requireObject, splitId, type OpenObject } from '../objects/read.ts';
import { insertObject, moveObject, removeObject, replaceObject, type WritableCalendar } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import { nextInstance } from '../recurrence/expand.ts';
import type { Instance } from '../recurrence/open-series.ts';
import { unlessTooComplex } from '../recurrence/rule-error.ts';
import { seriesOf, type ChangedInstance } from '../objects/series.ts';
import { changeAll, changeOne, parted, readerOf, sequenceOf, withoutOne, type Changing } from './change-series.ts';
import { insightOf, toEvent, toInstance } from './dto.ts';
import { findOccurrence } from './find-occurrence.ts';
import { isSeries } from './show.ts';

/** Which event of a calendar a change is about, and on what it is based. */
export interface Target {
  readonly id: string;
  readonly mode: ModificationMode | undefined;
  readonly recurrenceId: string | undefined;
  readonly ifMatch: readonly string[] | undefined;
  readonly sequence?: number | undefined;
  /** false: attendees hear nothing of it */
  readonly notify?: boolean | undefined;
}

interface Opened {
  readonly calendar: OpenCalendar & WritableCalendar;
  readonly open: OpenObject;
  /** undefined: the whole series, or an event that is none */
  readonly instance: Instance<ChangedInstance> | undefined;
  readonly mode: ModificationMode;
  readonly invited: Invited;
  /** what the owner of the calendar is in the event */
  readonly part: Part;
}

/**
 * Does something with an event that the member may change, in a transaction that has its calendar.
 * @param other calendar that takes part
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN, precondition PRECONDITION_FAILED, conflict SEQUENCE_CONFLICT, invalid VALIDATION_ERROR
 */
async function withTarget<T>(
  ctx: Context,
  actor: Actor,
  target: Target,
  given: GivenEvent,
  work: (tx: Context, opened: Opened) => Promise<T>,
  other?: OpenCalendar,
): Promise<T> {
  const { objectId, occurrence } = splitId(target.id);
  for (;;) {
    const before = await requireObject(ctx, actor.memberId, objectId, 'editor');
    const done = await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      // Whoever changes events that count to one member does so one after another.
      const owners = { owner_id: before.calendar.owner_id, other_id: other?.owner_id };
      const invited = await prepareAttendees(tx, owners, given, contentOf(tx, before));
      const { calendar, row } = await requireObject(tx, actor.memberId, objectId, 'editor');
      // It was moved meanwhile, maybe to somebody who is not locked.
      if (calendar.id !== before.calendar.id) return undefined;
      const key = openContentKey(tx, calendar);
      try {
        const open = openRow(tx, calendar, key, row);
        // Somebody was invited meanwhile.
        if (membersIn(open.object).some((id) => !invited.locked.has(id))) return undefined;
        assertMayChange(actor.memberId, calendar, open);
        assertUnchanged(open, target);
        const part = await partOfOwner(tx, calendar, open.object);
        const at = aimed(open, target, occurrence);
        return { result: await work(tx, { calendar: { ...calendar, key }, open, invited, part, ...at }) };
      } finally {
        key.fill(0);
      }
    });
    if (done !== undefined) return done.result;
  }
}

function contentOf(tx: Context, { calendar, row }: { calendar: OpenCalendar; row: CalendarObjectRow }): JcalComponent {
  const key = openContentKey(tx, calendar);
  try {
    return openContent(key, row);
  } finally {
    key.fill(0);
  }
}

/** What an editor does not see whole, the editor does not change either. */
function assertMayChange(memberId: string, calendar: OpenCalendar, { row, object }: OpenObject): void {
  const events = object[2].filter(([name]) => name !== 'vtimezone');
  if (events.some((event) => insightOf(calendar, memberId, row, event) !== 'all'))
    throw new Problem('forbidden', 'FORBIDDEN', 'This event is private. Only the owner of the calendar can change it.');
}

function assertUnchanged({ row, master }: OpenObject, { ifMatch, sequence }: Target): void {
  if (ifMatch !== undefined && !ifMatch.includes(row.etag))
    throw new Problem('precondition', 'PRECONDITION_FAILED', 'The event was changed meanwhile. Read it again.');
  if (sequence !== undefined && sequence !== sequenceOf(master))
    throw new Problem('conflict', 'SEQUENCE_CONFLICT', 'The event was changed meanwhile. Read it again.');
}

function aimed(
  open: OpenObject,
  { mode: wanted, recurrenceId }: Target,
  occurrence: string | undefined,
): Pick<Opened, 'instance' | 'mode'> {
  const at = occurrence ?? recurrenceId;
  const mode = wanted ?? (at === undefined ? 'all' : 'single');
  if (!isSeries(open)) {
    if (at !== undefined && findOccurrence(open, at) === undefined) throw noInstance(occurrence);
    return { instance: undefined, mode: 'all' };
  }
  if (at === undefined) {
    if (mode !== 'all') throw fieldProblem('recurrenceId', `is required for ${mode}`);
    return { instance: undefined, mode };
  }
  const instance = findOccurrence(open, at);
  if (instance === undefined) throw noInstance(occurrence);
  return { instance, mode };
}

function noInstance(occurrence: string | undefined): Problem {
  return occurrence === undefined
    ? fieldProblem('recurrenceId', 'is not a time at which the series has an event')
    : notThere('event');
}

export interface Updated {
  readonly event: Event;
  readonly droppedOverrides?: string[];
}

export interface Change {
  readonly given: GivenEvent;
  /** where the event is to be */
  readonly calendarId: string | undefined;
}

/** @throws Problem as the operation */
export async function updateEvent(ctx: Context, actor: Actor, target: Target, change: Change): Promise<Updated> {
  const { given, calendarId } = change;
  if (calendarId !== undefined) return await moveEvent(ctx, actor, target, { given, calendarId });
  const work = async (tx: Context, opened: Opened): Promise<Updated> =>
    await updateIn(tx, actor, target, opened, given);
  return await withTarget(ctx, actor, target, given, work);
}

/** What follows of who takes part in an event: how a change of it is stored, and who hears of it. */
function taking(tx: Context, { memberId: actorId }: Actor, { notify }: Target, { calendar, invited, part }: Opened) {
  const { given, memberOf } = invited;
  return {
    changing: { now: tx.clock.now(), memberOf } satisfies Changing,
    asStored: async (object: JcalComponent): Promise<JcalComponent> =>
      part === 'attendee' || (part === 'none' && given.attendees === undefined)
        ? object
        : await organized(tx, calendar, object),
    tell: async (before: JcalComponent | undefined, after: JcalComponent): Promise<void> => {
      if (notify !== false) await announceChange(tx, { calendar, actorId, before, after });
    },
  };
}

async function updateIn(
  tx: Context,
  actor: Actor,
  target: Target,
  opened: Opened,
  wanted: GivenEvent,
): Promise<Updated> {
  const { calendar, open, instance, mode, invited, part } = opened;
  if (part === 'attendee') assertAttendeeMay(wanted);
  const { given } = invited;
  const { changing, asStored, tell } = taking(tx, actor, target, opened);
  const reader = { memberId: actor.memberId, calendar };
  const write = async (changed: JcalComponent): Promise<OpenObject> => {
    const object = await asStored(changed);
    const row = await replaceObject(tx, calendar, open.row, { object });
    await tell(open.object, object);
    return openRow(tx, calendar, calendar.key, row);
  };
  if (mode === 'single' && instance !== undefined) {
    const after = await write(changeOne(open, instance, given, changing));
    const shown = findOccurrence(after, instance.recurrence.at);
    // A cancelled one is none any more.
    return { event: demand(shown === undefined ? toEvent(after, reader) : toInstance(after, shown, reader)) };
  }
  if (mode === 'thisAndFuture' && instance !== undefined) {
    if (part === 'attendee')
      throw fieldProblem('modificationMode', 'must be single or all: somebody else organizes it');
    const { before, after } = parted(open, { at: instance.recurrence.at });
    if (before !== undefined) {
      await write(before);
      const next = await continued(tx, calendar, open.row, after);
      const { object: changed, dropped } = changeAll(next, given, changing);
      const object = await asStored(changed);
      const row = await replaceObject(tx, calendar, next.row, { object });
      await tell(undefined, object);
      return {
        event: demand(toEvent(openRow(tx, calendar, calendar.key, row), reader)),
        ...droppedIds(row, dropped),
      };
    }
  }
  const { object, dropped } = changeAll(open, given, changing);
  const after = await write(object);
  return { event: demand(toEvent(after, reader)), ...droppedIds(open.row, dropped) };
}

/** Changes an event and puts it into another calendar, where it keeps its id. Who may change both may do so. */
async function moveEvent(
  ctx: Context,
  actor: Actor,
  target: Target,
  { given: wanted, calendarId }: { readonly given: GivenEvent; readonly calendarId: string },
): Promise<Updated> {
  const { memberId } = actor;
  const other = await requireCalendar(ctx, memberId, calendarId, 'editor');
  const move = async (tx: Context, opened: Opened): Promise<Updated> => {
    const to = await requireCalendar(tx, memberId, calendarId, 'editor');
    const { calendar, open, mode, invited, part } = opened;
    if (to.id === calendar.id) return await updateIn(tx, actor, target, opened, wanted);
    if (mode !== 'all') throw fieldProblem('modificationMode', 'must be all: instances cannot leave their series');
    if (part === 'attendee') assertAttendeeMay(wanted);
    // Whoever organizes or attends it stays who that is.
    if (to.owner_id !== calendar.owner_id && (part !== 'none' || wanted.attendees !== undefined))
      throw fieldProblem('calendarId', 'must be a calendar of the same member: the event has attendees');
    const { changing, asStored, tell } = taking(tx, actor, target, opened);
    const key = openContentKey(tx, to);
    try {
      // Days and floating times are in the zone of the calendar to which they come.
      const there = openRow(tx, to, calendar.key, open.row);
      const isChanged = Object.values(wanted).some((value) => value !== undefined);
      const { object: changed, dropped } = isChanged
        ? changeAll(there, invited.given, changing)
        : { object: there.object, dropped: [] };
      const object = isChanged ? await asStored(changed) : changed;
      const octets = isChanged ? undefined : octetsOf(calendar.key, open.row);
      const row = await moveObject(tx, calendar, { ...to, key }, open.row, { object, octets });
      if (isChanged) await tell(open.object, object);
      const event = toEvent(openRow(tx, to, key, row), { memberId, calendar: to });
      return { event: demand(event), ...droppedIds(row, dropped) };
    } finally {
      key.fill(0);
    }
  };
  return await withTarget(ctx, actor, target, wanted, move, other);
}

/** The text as a program sent it, if it is kept. */
function octetsOf(key: Uint8Array, row: CalendarObjectRow): string | undefined {
  return row.octets === null ? undefined : openOctets(key, row, row.octets);
}

async function continued(
  tx: Context,
  calendar: WritableCalendar,
  { created_by: createdBy }: CalendarObjectRow,
  object: JcalComponent,
): Promise<OpenObject> {
  const row = await insertObject(tx, calendar, { object, createdBy });
  return openRow(tx, calendar, calendar.key, row);
}

function droppedIds({ id }: Pick<CalendarObjectRow, 'id'>, dropped: readonly string[]) {
  const basic = (at: string) => at.replaceAll(/[-:]/g, '');
  return dropped.length === 0 ? {} : { droppedOverrides: dropped.map((at) => `${id}_${basic(at)}`) };
}

function demand(event: Event | undefined): Event {
  if (event === undefined) throw new Error('an event that was just written is none');
  return event;
}

/** @throws Problem as the operation */
export async function deleteEvent(ctx: Context, actor: Actor, target: Target): Promise<void> {
  await withTarget(ctx, actor, target, {}, async (tx, { calendar, open, instance, mode, part }) => {
    if (part === 'attendee' && mode === 'thisAndFuture')
      throw fieldProblem('modificationMode', 'must be single or all: somebody else organizes it');
    const left = instance === undefined ? undefined : leftOf(open, instance, mode);
    if (left === undefined) await removeObject(tx, calendar, open.row);
    else await replaceObject(tx, calendar, open.row, { object: left });
    if (target.notify === false) return;
    if (part === 'attendee') {
      const at = mode === 'single' ? instance?.recurrence.at : undefined;
      await declineRemoved(tx, calendar.owner_id, open, at);
    } else await announceChange(tx, { calendar, actorId: actor.memberId, before: open.object, after: left });
  });
}

/** What is left of a series; undefined: nothing. */
function leftOf(
  open: OpenObject,
  instance: Instance<ChangedInstance>,
  mode: ModificationMode,
): JcalComponent | undefined {
  if (mode === 'all') return undefined;
  if (mode === 'thisAndFuture') return parted(open, { at: instance.recurrence.at }).before;
  const left = withoutOne(open, instance);
  const { series } = seriesOf(left, open.zones);
  const isEmpty = unlessTooComplex(() => nextInstance(series, readerOf(open)) === undefined, false);
  return isEmpty ? undefined : left;
}
