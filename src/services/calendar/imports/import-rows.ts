import type { Context } from '../../../service/context.ts';
import type { CalendarImport } from '../../../contract/calendar/export.ts';
import type { CalendarImportRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { Importing } from './import-objects.ts';
import type { Progress } from './notes.ts';
import { openResult, sealResult } from './stored-file.ts';

/** Somebody else goes on with the same import: a process that took its job over, or the same request that was sent twice. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const byId = writtenQuery<CalendarImportRow>('select * from calendar_imports where id = $1');

export async function importRow({ db }: Pick<Context, 'db'>, id: string): Promise<CalendarImportRow | undefined> {
  const { rows } = await db.executeQuery(byId(id));
  return rows[0];
}

const note = writtenQuery<{ id: string }>(`
  update calendar_imports set done = $1, result = $2, updated_at = $3
  where id = $4 and done = $5 and state = 'pending' returning id`);

/** Notes progress together with the events, so that each of them is written once, whoever works on it. */
export function keptIn(row: Pick<CalendarImportRow, 'id' | 'calendar_id'>): NonNullable<Importing['keep']> {
  return async (tx, key, { done, result }, before) => {
    const sealed = sealResult(tx, key, row, result);
    const { rows } = await tx.db.executeQuery(note(done, sealed, tx.clock.now(), row.id, before.done));
    if (rows.length === 0) throw new Overtaken('somebody else goes on with this import');
  };
}

/** @param key of the calendar, 32 bytes */
export function progressOf(row: CalendarImportRow, key: Uint8Array): Progress {
  return { done: row.done, result: openResult(key, row) };
}

/** @param key of the calendar, 32 bytes */
export function shownImport(row: CalendarImportRow, key: Uint8Array): CalendarImport {
  const { id, calendar_id: calendarId, total, done } = row;
  const state = row.state as CalendarImport['state'];
  return {
    id,
    calendarId,
    state,
    total,
    done,
    ...(state !== 'pending' && { result: openResult(key, row) }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
