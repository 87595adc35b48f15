import { transaction, type Context } from '../../../service/context.ts';
import type { CalendarImport } from '../../../contract/calendar/export.ts';
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
import { importRow, keptIn, Overtaken, progressOf } from './import-rows.ts';
import { openFileOf, removeFile } from './stored-file.ts';

/** The kind of the jobs that read large files. */
export const importKind = 'calendar-import';

/** After so many tries the member is told that it failed. */
const TRIES = 3;

/** Reads the file of an import, some events in each transaction, and goes on where a process stopped. */
export function importHandler(ctx: Context): JobHandler {
  return async (payload, { attempt, signal }) => {
    const { importId } = payload as { importId: string };
    const row = await importRow(ctx, importId);
    if (row?.state !== 'pending') return;
    try {
      await readImport(ctx, row, signal);
      await endImport(ctx, row, 'done');
    } catch (error) {
      // Whoever may not write to the calendar any more will not by waiting.
      const isOver = error instanceof Problem && (error.kind === 'missing' || error.kind === 'forbidden');
      if (!isOver && (attempt < TRIES || signal.aborted || error instanceof Overtaken)) throw error;
      if (!isOver) ctx.log.error('an import could not be read to its end', { import: importId, error });
      await endImport(ctx, row, 'failed');
    }
  };
}

const active = writtenQuery("select id from members where id = $1 and status = 'active'");

async function readImport(ctx: Context, row: CalendarImportRow, signal: AbortSignal): Promise<void> {
  const { calendar_id: calendarId, member_id: memberId } = row;
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
      keep: keptIn(row),
    };
    await importObjects(ctx, importing, file, progressOf(row, key));
  } finally {
    key.fill(0);
  }
}

const finish = writtenQuery('update calendar_imports set state = $1, bytes = 0, updated_at = $2 where id = $3');
const ownerOf = writtenQuery<{ owner_id: string }>('select owner_id from calendars where id = $1');

/** Ends an import, and forgets its file. */
export async function endImport(
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
    const row = await importRow(tx, id);
    if (row?.state !== 'pending') return;
    await freeStorage(tx, owner.owner_id, row.bytes);
    await removeFile(tx, row);
    await tx.db.executeQuery(finish(state, tx.clock.now(), id));
  });
}
