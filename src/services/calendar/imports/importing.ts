import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { CalendarImport, exporting, ImportResult } from '../../../contract/calendar/export.ts';
import { calendarLimits, type DuplicateMode } from '../../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarImportRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { takeStorage } from '../../../shared/members/storage.ts';
import { notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { openContentKey } from '../own-calendars.ts';
import { givenFile, openFile } from './given-file.ts';
import { importObjects } from './import-objects.ts';
import { nothing } from './notes.ts';
import { insertFile, openResult, sealFile, sealResult, type SealedFile } from './stored-file.ts';

type Contract = typeof exporting;

/** The kind of the jobs that read large files. */
export const importKind = 'calendar-import';

/** How long it is known what came of an import. */
const KEPT_MS = 30 * 86_400_000;

export async function importIcs(
  ctx: Context,
  actor: Actor,
  { calendarId, duplicateMode }: InputOf<Contract['importIcs']>,
  upload: Upload,
): Promise<ReplyOf<Contract['importIcs']>> {
  const { memberId } = actor;
  await requireCalendar(ctx, memberId, calendarId, 'editor');
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as ReplyOf<Contract['importIcs']>;
  const given = await givenFile(upload);
  const mode = given.duplicateMode ?? duplicateMode ?? 'skip';
  const file = await openFile(given.bytes, zonesOf(ctx));
  if (file.total > calendarLimits.importAtOnce)
    return await beginImport(ctx, actor, { calendarId, mode, total: file.total, bytes: given.bytes });
  const { result } = await importObjects(
    ctx,
    // The file may have come for minutes.
    { memberId, calendarId, mode, assertAllowed: async (tx) => await assertStillSignedIn(tx, actor) },
    file,
    nothing,
  );
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => ({ result }));
  });
}

interface Begun {
  readonly calendarId: string;
  readonly mode: DuplicateMode;
  readonly total: number;
  readonly bytes: Uint8Array;
}

const forget = writtenQuery(`
  delete from calendar_imports where calendar_id = $1 and member_id = $2 and updated_at < $3 and state <> 'pending'`);

async function beginImport(
  ctx: Context,
  actor: Actor,
  { calendarId, mode, total, bytes }: Begun,
): Promise<{ import: CalendarImport }> {
  const { memberId } = actor;
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
  const now = ctx.clock.now();
  const place = { id: recordId(now, ctx.random), calendar_id: calendarId };
  const key = openContentKey(ctx, calendar);
  try {
    const sealed: SealedFile = await sealFile(ctx, key, place, bytes);
    const row: CalendarImportRow = {
      ...place,
      member_id: memberId,
      mode,
      state: 'pending',
      total,
      done: 0,
      bytes: sealed.bytes,
      created_at: now,
      updated_at: now,
      result: sealResult(ctx, key, place, nothing.result),
    };
    return await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      await lockMembers(tx, [calendar.owner_id]);
      await requireCalendar(tx, memberId, calendarId, 'editor');
      return await once(tx, async () => {
        await takeStorage(tx, calendar.owner_id, sealed.bytes);
        await tx.db.executeQuery(forget(calendarId, memberId, now - KEPT_MS));
        await insertRows(tx.db, 'calendar_imports', [row]);
        await insertFile(tx, row, sealed);
        const payload = { importId: row.id };
        await planJob(tx.db, { id: `${importKind}/${row.id}`, kind: importKind, payload, runAt: now, now });
        return { import: shown(row, key) };
      });
    });
  } finally {
    key.fill(0);
  }
}

const byId = writtenQuery<CalendarImportRow>('select * from calendar_imports where id = $1');

export async function showImport(
  ctx: Context,
  { memberId }: Actor,
  { calendarId, id }: InputOf<Contract['showImport']>,
): Promise<{ import: CalendarImport }> {
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
  const { rows } = await ctx.db.executeQuery(byId(id));
  const [row] = rows;
  if (row === undefined || !isOf(row, calendar, memberId)) throw notThere('import');
  const key = openContentKey(ctx, calendar);
  try {
    return { import: shown(row, key) };
  } finally {
    key.fill(0);
  }
}

function isOf(row: CalendarImportRow, { id, owner_id: ownerId }: OpenCalendar, memberId: string): boolean {
  return row.calendar_id === id && (row.member_id === memberId || ownerId === memberId);
}

function shown(row: CalendarImportRow, key: Uint8Array): CalendarImport {
  const { id, calendar_id: calendarId, total, done } = row;
  const state = row.state as CalendarImport['state'];
  return {
    id,
    calendarId,
    state,
    total,
    done,
    ...(state !== 'pending' && { result: openResult<ImportResult>(key, row) }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
