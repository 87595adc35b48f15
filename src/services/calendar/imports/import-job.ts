import { transaction, type Context } from '../../../service/context.ts';
import type { CalendarImport, ImportResult } from '../../../contract/calendar/export.ts';
import type { DuplicateMode } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarImportRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { freeStorage } from '../../../shared/members/storage.ts';
import { requireCalendar } from '../access.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { openContentKey } from '../own-calendars.ts';
import { openFile } from './given-file.ts';
import { importObjects, type Importing } from './import-objects.ts';
import { openFileOf, openResult, removeFile, sealResult } from './stored-file.ts';

/** After so many tries the member is told that it failed. */
const TRIES = 3;

const byId = writtenQuery<CalendarImportRow>('select * from calendar_imports where id = $1');

/** Reads the file of an import, some events in each transaction, and goes on where a process stopped. */
export function importHandler(ctx: Context): JobHandler {
  return async (payload, { attempt, signal }) => {
    const { importId } = payload as { importId: string };
    const { rows } = await ctx.db.executeQuery(byId(importId));
    const [row] = rows;
    if (row?.state !== 'pending') return;
    try {
      await readImport(ctx, row, signal);
      await end(ctx, row, 'done');
    } catch (error) {
      // Whoever may not write to the calendar any more will not by waiting.
      const isOver = error instanceof Problem && (error.kind === 'missing' || error.kind === 'forbidden');
      if (!isOver && (attempt < TRIES || signal.aborted)) throw error;
      if (!isOver) ctx.log.error('an import could not be read to its end', { import: importId, error });
      await end(ctx, row, 'failed');
    }
  };
}

const note = writtenQuery<{ id: string }>(`
  update calendar_imports set done = $1, result = $2, updated_at = $3
  where id = $4 and done = $5 and state = 'pending' returning id`);
const active = writtenQuery("select id from members where id = $1 and status = 'active'");

async function readImport(ctx: Context, row: CalendarImportRow, signal: AbortSignal): Promise<void> {
  const { id, calendar_id: calendarId, member_id: memberId } = row;
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
  const key = openContentKey(ctx, calendar);
  try {
    const file = await openFile(await openFileOf(ctx, key, row), zonesOf(ctx));
    const importing: Importing = {
      memberId,
      calendarId,
      mode: row.mode as DuplicateMode,
      signal,
      async assertAllowed(tx) {
        const { rows } = await tx.db.executeQuery(active(memberId));
        if (rows.length === 0) throw new Problem('forbidden', 'FORBIDDEN', 'The member is not active any more.');
      },
      async keep(tx, ownKey, { done, result }, before) {
        const sealed = sealResult(tx, ownKey, row, result);
        const { rows } = await tx.db.executeQuery(note(done, sealed, tx.clock.now(), id, before.done));
        // Each event is written once, also if two processes believe that the import is theirs.
        if (rows.length === 0) throw new Error('somebody else goes on with this import');
      },
    };
    await importObjects(ctx, importing, file, { done: row.done, result: openResult<ImportResult>(key, row) });
  } finally {
    key.fill(0);
  }
}

const finish = writtenQuery('update calendar_imports set state = $1, bytes = 0, updated_at = $2 where id = $3');
const ownerOf = writtenQuery<{ owner_id: string }>('select owner_id from calendars where id = $1');

async function end(
  ctx: Context,
  { id, calendar_id: calendarId }: CalendarImportRow,
  state: Exclude<CalendarImport['state'], 'pending'>,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const owners = await tx.db.executeQuery(ownerOf(calendarId));
    const [owner] = owners.rows;
    // With the calendar goes all that is left of its imports.
    if (owner === undefined) return;
    await lockMembers(tx, [owner.owner_id]);
    const { rows } = await tx.db.executeQuery(byId(id));
    const [row] = rows;
    if (row?.state !== 'pending') return;
    await freeStorage(tx, owner.owner_id, row.bytes);
    await removeFile(tx, row);
    await tx.db.executeQuery(finish(state, tx.clock.now(), id));
  });
}
