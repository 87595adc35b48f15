import { transaction, type Context } from '../../../service/context.ts';
import { apart as each } from '../../../service/sweep.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarObjectRow, CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { organizerParty, partOf, type Party } from '../itip/self.ts';
import { openRow, type OpenObject } from '../objects/read.ts';
import { openContentKey } from '../own-calendars.ts';
import { expand, nextInstance } from '../recurrence/expand.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { createTurns } from '../turns.ts';
import { announceChange } from './announce.ts';
import { apart } from './apart.ts';
import { declineRemoved } from './decline-removed.ts';
import { membersIn } from './invite.ts';
import { partyOfMember } from './people.ts';
import { invitationTo, objectOf } from './rows.ts';

/** A calendar that is deleted, as far as it takes to tell others of its events. */
type ErasedCalendar = Pick<CalendarRow, 'id' | 'owner_id' | 'zone' | 'content_key'>;

/** Objects that are read together. One may have 1 MiB. */
const TOGETHER = 20;

const page = writtenQuery<CalendarObjectRow>(`
  select * from calendar_objects where calendar_id = $1 and name > $2 order by name limit ${TOGETHER}`);
const there = writtenQuery<{ id: string }>('select id from calendar_objects where id = $1');
const left = writtenQuery('update calendar_invitations set object_id = null, updated_at = $1 where id = $2');

interface Telling {
  readonly signal: AbortSignal;
  /** removes an object in the transaction that tells of it, so that each is told of once */
  erase(this: void, tx: Context, row: CalendarObjectRow): Promise<void>;
}

/**
 * Tells others of the events of a calendar that was deleted, as if each of them had been: whom its owner invited that there is nothing left, and
 * organizers that the owner does not come. Of events that are over nobody hears.
 * @throws the first of the failures, at the end: what cannot be done of one event keeps nobody from hearing of the others
 */
export async function announceErased(
  ctx: Context,
  calendar: ErasedCalendar,
  { signal, erase }: Telling,
): Promise<void> {
  const key = keyOf(ctx, calendar);
  if (key === undefined) return;
  try {
    const owner = { ...(await partyOfMember(ctx, calendar.owner_id)), memberId: calendar.owner_id };
    const turns = createTurns();
    const work = each(ctx, 'to tell of an event of a deleted calendar');
    for (let after = ''; !signal.aborted;) {
      const { rows } = await ctx.db.executeQuery(page(calendar.id, after));
      for (const row of rows) {
        await turns.take();
        if (signal.aborted) return;
        await work.run({ object: row.id }, async () => await announceOne(ctx, calendar, { key, owner, row, erase }));
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < TOGETHER) break;
      after = last.name;
    }
    work.end();
  } finally {
    key.fill(0);
  }
}

/** @returns undefined if it does not open: then its events do not either */
function keyOf(ctx: Context, calendar: ErasedCalendar): Uint8Array | undefined {
  return openedOrNot(ctx, calendar.id, () => openContentKey(ctx, calendar));
}

function openedOrNot<T>({ log }: Pick<Context, 'log'>, id: string, open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn('nobody hears of an event that was deleted with its calendar', { id, code: error.code });
    return undefined;
  }
}

interface One extends Pick<Telling, 'erase'> {
  readonly key: Uint8Array;
  readonly owner: Party & { readonly memberId: string };
  readonly row: CalendarObjectRow;
}

async function announceOne(ctx: Context, calendar: ErasedCalendar, { key, owner, row, erase }: One): Promise<void> {
  if (row.component !== 'VEVENT') return;
  const open = openedOrNot(ctx, row.id, () => openRow(ctx, calendar, key, row));
  const organizer = open && organizerParty(open.object);
  if (open === undefined || organizer === undefined) return;
  const part = partOf(open.object, owner);
  if (part === 'none') return;
  const isToCome = goesOn(open, ctx.clock.now());
  if (part === 'organizer' && !isToCome) return;
  await transaction(ctx, async (tx) => {
    await lockMembers(tx, [owner.memberId, ...membersIn(open.object)]);
    if ((await tx.db.executeQuery(there(row.id))).rows.length === 0) return;
    await erase(tx, row);
    // A copy of it in another calendar goes on.
    if ((await objectOf(tx, owner.memberId, row.uid_key)) !== undefined) return;
    await apart(tx, async () => {
      if (part === 'organizer') {
        const change = { calendar, actorId: owner.memberId, before: open.object, after: undefined };
        await announceChange(tx, change);
        return;
      }
      const invitation = await invitationTo(tx, owner.memberId, row.uid_key, organizer);
      // What came out of a file was no invitation, and one that came anew waits for its own answer.
      if (invitation?.object_id !== row.id) return;
      if (isToCome) await declineRemoved(tx, owner.memberId, open, undefined);
      else await tx.db.executeQuery(left(tx.clock.now(), invitation.id));
    });
  });
}

/** Whether it takes place now or later. Where that takes too much work to find out, it may. */
function goesOn({ series, zones }: OpenObject, now: number): boolean {
  const reader = { zones: zones.zones, zone: zones.zone };
  try {
    if (nextInstance(series, reader, now) !== undefined) return true;
    return expand(series, { from: now, to: now + 1, limit: 1 }, reader).instances.length > 0;
  } catch (error) {
    if (error instanceof RuleError) return true;
    throw error;
  }
}
