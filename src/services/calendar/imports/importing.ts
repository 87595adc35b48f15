import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { CalendarImport, exporting, ImportResult } from '../../../contract/calendar/export.ts';
import { calendarLimits, type DuplicateMode } from '../../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { onceAnew } from '../../../service/repeats.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarImportRow } from '../../../platform/store/tables/calendars.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { takeStorage } from '../../../shared/members/storage.ts';
import { notThere, requireCalendar, type OpenCalendar } from '../access.ts';
import type { CalendarFile } from '../icalendar/read/read.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { openContentKey } from '../own-calendars.ts';
import { givenFile, openFile } from './given-file.ts';
import { endImport, importKind } from './import-job.ts';
import { importObjects, type Importing } from './import-objects.ts';
import { importRow, keptIn, Overtaken, progressOf, shownImport } from './import-rows.ts';
import { nothing } from './notes.ts';
import { insertFile, sealFile, sealResult, type SealedFile } from './stored-file.ts';

type Contract = typeof exporting;

export async function importIcs(
  ctx: Context,
  actor: Actor,
  { calendarId, duplicateMode }: InputOf<Contract['importIcs']>,
  upload: Upload,
): Promise<ReplyOf<Contract['importIcs']>> {
  const calendar = await requireCalendar(ctx, actor.memberId, calendarId, 'editor');
  // Also for a repeated request, which goes on with what the first one did not end.
  const given = await givenFile(upload);
  const file = await openFile(given.bytes, zonesOf(ctx));
  const asked = { calendarId, mode: given.duplicateMode ?? duplicateMode ?? 'skip', total: file.total };
  if (file.total > calendarLimits.importAtOnce) {
    const row = await beginImport(ctx, actor, asked, given.bytes);
    return { import: withKey(ctx, calendar, (key) => shownImport(row, key)) };
  }
  const importing = {
    ...asked,
    memberId: actor.memberId,
    // The file may have come for minutes.
    assertAllowed: async (tx: Context) => await assertStillSignedIn(tx, actor),
  };
  if (ctx.repeatable !== undefined) return { result: await importOnce(ctx, actor, importing, file) };
  const { result } = await importObjects(ctx, importing, file, nothing);
  return { result };
}

interface Asked {
  readonly calendarId: string;
  readonly mode: DuplicateMode;
  readonly total: number;
}

/** A request that is repeated goes on where the first one is, or stopped: also with `create-new`, each event is made once. */
async function importOnce(
  ctx: Context,
  actor: Actor,
  importing: Importing & Asked,
  file: CalendarFile,
): Promise<ImportResult> {
  const { id } = await beginImport(ctx, actor, importing);
  for (;;) {
    const row = await importRow(ctx, id);
    // It went with its calendar.
    if (row === undefined) throw notThere();
    const calendar = await requireCalendar(ctx, actor.memberId, row.calendar_id, 'editor');
    const progress = withKey(ctx, calendar, (key) => progressOf(row, key));
    if (row.state !== 'pending') return progress.result;
    try {
      await importObjects(ctx, { ...importing, keep: keptIn(row) }, file, progress);
      await endImport(ctx, row, 'done');
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/**
 * Makes the row of an import, or finds that of the same request.
 * @param bytes of a file that a job reads
 */
async function beginImport(
  ctx: Context,
  actor: Actor,
  { calendarId, mode, total }: Asked,
  bytes?: Uint8Array,
): Promise<CalendarImportRow> {
  const { memberId } = actor;
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
  const now = ctx.clock.now();
  const place = { id: recordId(now, ctx.random), calendar_id: calendarId };
  const key = openContentKey(ctx, calendar);
  try {
    const sealed = bytes === undefined ? undefined : await sealFile(ctx, key, place, bytes);
    const row: CalendarImportRow = {
      ...place,
      member_id: memberId,
      mode,
      state: 'pending',
      total,
      done: 0,
      bytes: sealed?.bytes ?? 0,
      created_at: now,
      updated_at: now,
      result: sealResult(ctx, key, place, nothing.result),
    };
    return await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      await lockMembers(tx, [calendar.owner_id]);
      await requireCalendar(tx, memberId, calendarId, 'editor');
      return await onceAnew(
        tx,
        async () => {
          if (sealed !== undefined) await takeStorage(tx, calendar.owner_id, sealed.bytes);
          await insertRows(tx.db, 'calendar_imports', [row]);
          if (sealed !== undefined) await planReading(tx, row, sealed);
          return { reply: row, kept: { importId: row.id } };
        },
        async ({ importId }) => {
          const begun = await importRow(tx, importId);
          if (begun === undefined) throw notThere('import');
          return begun;
        },
      );
    });
  } finally {
    key.fill(0);
  }
}

async function planReading(tx: Context, row: CalendarImportRow, file: SealedFile): Promise<void> {
  await insertFile(tx, row, file);
  const now = tx.clock.now();
  const payload = { importId: row.id };
  await planJob(tx.db, { id: `${importKind}/${row.id}`, kind: importKind, payload, runAt: now, now });
}

export async function showImport(
  ctx: Context,
  { memberId }: Actor,
  { calendarId, id }: InputOf<Contract['showImport']>,
): Promise<{ import: CalendarImport }> {
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
  const row = await importRow(ctx, id);
  if (row === undefined || !isOf(row, calendar, memberId)) throw notThere('import');
  return { import: withKey(ctx, calendar, (key) => shownImport(row, key)) };
}

function isOf(row: CalendarImportRow, { id, owner_id: ownerId }: OpenCalendar, memberId: string): boolean {
  return row.calendar_id === id && (row.member_id === memberId || ownerId === memberId);
}

function withKey<T>(ctx: Context, calendar: OpenCalendar, read: (key: Uint8Array) => T): T {
  const key = openContentKey(ctx, calendar);
  try {
    return read(key);
  } finally {
    key.fill(0);
  }
}
