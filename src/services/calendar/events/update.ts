import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Event, GivenEvent } from '../../../contract/calendar/event.ts';
import type { ModificationMode } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { notThere, type OpenCalendar } from '../access.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { announceChange } from '../invitations/announce.ts';
import { declineRemoved } from '../invitations/decline-removed.ts';
import { assertAttendeeMay, organized, partOfOwner, prepareAttendees, type Invited } from '../invitations/invite.ts';
import type { Part } from '../itip/self.ts';
import { openRow, requireObject, splitId, type OpenObject } from '../objects/read.ts';
import { insertObject, removeObject, replaceObject, type WritableCalendar } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import { nextInstance } from '../recurrence/expand.ts';
import type { Instance } from '../recurrence/open-series.ts';
import { seriesOf, type ChangedInstance } from '../objects/series.ts';
import { changeAll, changeOne, parted, readerOf, withoutOne, type Changing } from './change-series.ts';
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
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN, precondition PRECONDITION_FAILED, conflict SEQUENCE_CONFLICT, invalid VALIDATION_ERROR
 */
async function withTarget<T>(
  ctx: Context,
  actor: Actor,
  target: Target,
  given: GivenEvent,
  work: (tx: Context, opened: Opened) => Promise<T>,
): Promise<T> {
  const { objectId, occurrence } = splitId(target.id);
  await requireObject(ctx, actor.memberId, objectId, 'editor');
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const { calendar, row } = await requireObject(tx, actor.memberId, objectId, 'editor');
    const key = openContentKey(tx, calendar);
    try {
      const open = openRow(tx, calendar, key, row);
      assertMayChange(actor.memberId, calendar, open);
      assertUnchanged(open, target);
      // Whoever changes events that count to one member does so one after another.
      const invited = await prepareAttendees(tx, calendar, given, open.object);
      const part = await partOfOwner(tx, calendar, open.object);
      const at = aimed(open, target, occurrence);
      return await work(tx, { calendar: { ...calendar, key }, open, invited, part, ...at });
    } finally {
      key.fill(0);
    }
  });
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
  const now = Number(master?.[1].find(([name]) => name === 'sequence')?.[3] ?? 0);
  if (sequence !== undefined && sequence !== now)
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

/** @throws Problem as the operation */
export async function updateEvent(ctx: Context, actor: Actor, target: Target, wanted: GivenEvent): Promise<Updated> {
  return await withTarget(ctx, actor, target, wanted, async (tx, opened) => {
    const { calendar, open, instance, mode, invited, part } = opened;
    if (part === 'attendee') assertAttendeeMay(wanted);
    const { given, memberOf } = invited;
    const changing: Changing = { now: tx.clock.now(), memberOf };
    const reader = { memberId: actor.memberId, calendar };
    const asStored = async (object: JcalComponent): Promise<JcalComponent> =>
      part === 'attendee' || (part === 'none' && given.attendees === undefined)
        ? object
        : await organized(tx, calendar, object);
    const tell = async (before: JcalComponent | undefined, after: JcalComponent): Promise<void> => {
      if (target.notify !== false) await announceChange(tx, { calendar, actorId: actor.memberId, before, after });
    };
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
  });
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
    const left = instance === undefined ? undefined : leftOf(open, instance, mode);
    if (left === undefined) await removeObject(tx, calendar, open.row);
    else await replaceObject(tx, calendar, open.row, { object: left });
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
  return nextInstance(seriesOf(left, open.zones).series, readerOf(open)) === undefined ? undefined : left;
}
