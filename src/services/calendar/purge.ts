import { transaction, type Context } from '../../service/context.ts';
import { eachStep } from '../../service/sweep.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { CalendarTombstoneRow } from '../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { forgetImports } from './imports/forget-imports.ts';
import { forgetAppointments, forgetCells, forgetPages } from './booking/purge.ts';
import { planHorizon } from './objects/horizon.ts';

/** So long programs that keep a copy may stay away. After that they read everything again. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** Rows of one transaction. Other writers wait for it. */
const TOGETHER = 200;

export async function purgeCalendars(ctx: Context): Promise<void> {
  await eachStep([
    async () => await planHorizon(ctx),
    async () => await forgetRemovals(ctx),
    async () => await forgetImports(ctx),
    async () => await forgetCells(ctx),
    async () => await forgetAppointments(ctx),
    async () => await forgetPages(ctx),
    async () => await forgetInvitations(ctx),
    async () => await forgetProposals(ctx),
  ]);
}

const old = writtenQuery<CalendarTombstoneRow>(`
  select * from calendar_tombstones where deleted_at <= $1 order by deleted_at limit ${TOGETHER}`);
const forget = writtenQuery('delete from calendar_tombstones where calendar_id = $1 and name = $2 and change_seq = $3');
const note = writtenQuery('update calendars set forgotten_seq = $1 where id = $2 and forgotten_seq < $3');

/** Forgets events that were deleted long ago, and notes in their calendars since when that is so. */
async function forgetRemovals(ctx: Context): Promise<void> {
  const until = ctx.clock.now() - KEPT_MS;
  let count = TOGETHER;
  while (count === TOGETHER)
    count = await transaction(ctx, async ({ db }) => {
      const { rows } = await db.executeQuery(old(until));
      const latest = new Map<string, number>();
      for (const { calendar_id: id, change_seq: seq } of rows) latest.set(id, Math.max(seq, latest.get(id) ?? 0));
      // Whoever writes to a calendar takes it first, too.
      for (const id of [...latest.keys()].toSorted()) await db.executeQuery(note(latest.get(id), id, latest.get(id)));
      for (const { calendar_id: id, name, change_seq: seq } of rows) await db.executeQuery(forget(id, name, seq));
      return rows.length;
    });
}

const forgotten = writtenQuery<{ id: string }>(`
  delete from calendar_invitations where id in (
    select id from calendar_invitations where object_id is null and updated_at <= $1 order by updated_at limit ${TOGETHER})
  returning id`);

/** Forgets invitations that were declined, cancelled or never answered, of which nobody has heard since. */
async function forgetInvitations(ctx: Context): Promise<void> {
  const until = ctx.clock.now() - KEPT_MS;
  let count = TOGETHER;
  while (count === TOGETHER)
    count = await transaction(ctx, async ({ db }) => (await db.executeQuery(forgotten(until))).rows.length);
}

// Ids sort by age.
const oldProposals = writtenQuery<{ id: string }>(`
  delete from calendar_proposals where id in (select id from calendar_proposals where id < $1 order by id limit ${TOGETHER})
  returning id`);

/** Forgets proposals and unexpected answers, whether somebody has decided them or not. */
async function forgetProposals(ctx: Context): Promise<void> {
  const until = recordId(ctx.clock.now() - KEPT_MS, (bytes) => new Uint8Array(bytes));
  let count = TOGETHER;
  while (count === TOGETHER)
    count = await transaction(ctx, async ({ db }) => (await db.executeQuery(oldProposals(until))).rows.length);
}
