import { isUtf8 } from 'node:buffer';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { ImportMode, Portable, SocialImport } from '../../../contract/social/transfer.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { Problem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { SocialImportRow } from '../../../platform/store/tables/social-own.ts';
import { requireSelf } from '../people/found.ts';
import { firstCells, type CsvLine } from './first-cells.ts';

/** An import that did nothing for so long has failed for good. */
const STALE_MS = 3_600_000;
/** Characters of a line that are stored: a name or an address needs no more. */
const STORED = 300;
/** Characters of a line in a report. */
const SHOWN = 100;

export interface Refused {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

interface Wanted {
  readonly what: Portable;
  readonly mode: ImportMode;
}

export async function importCsv(
  ctx: Context,
  actor: Actor,
  { what, mode }: Wanted,
  { body }: Upload,
): Promise<{ import: SocialImport }> {
  await requireSelf(ctx, actor);
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as { import: SocialImport };
  const lines = await linesOf(body);
  return await transaction(ctx, async (tx) => {
    // The file may have come for minutes.
    await assertStillSignedIn(tx, actor);
    const self = await requireSelf(tx, actor);
    return await once(tx, async () => {
      const before = await importOf(tx, self.id);
      if (before?.state === 'pending' && before.updated_at > tx.clock.now() - STALE_MS)
        throw new Problem('conflict', 'IMPORT_RUNNING', 'Your last import is not finished. Wait for its end.');
      await tx.db.deleteFrom('social_imports').where('member_id', '=', self.id).execute();
      const now = tx.clock.now();
      const row: SocialImportRow = {
        id: recordId(now, tx.random),
        member_id: self.id,
        what,
        mode,
        state: 'pending',
        lines: JSON.stringify(lines.map(({ line, text }) => [line, text])),
        total: lines.length,
        done: 0,
        imported: 0,
        requested: 0,
        present: 0,
        removed: 0,
        refused: 0,
        report: '[]',
        created_at: now,
        updated_at: now,
      };
      await tx.db.insertInto('social_imports').values(row).execute();
      const job = { id: `social-import/${row.id}`, kind: 'social-import', payload: { importId: row.id } };
      await enqueue(tx.db, { ...job, runAt: now, now });
      return { import: shown(row) };
    });
  });
}

/** @throws Problem invalid IMPORT_UNREADABLE */
async function linesOf(body: AsyncIterable<Uint8Array>): Promise<CsvLine[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(Uint8Array.from(piece));
  const csv = Buffer.concat(pieces);
  if (!isUtf8(csv)) throw new Problem('invalid', 'IMPORT_UNREADABLE', 'The file is not text in UTF-8.');
  const lines = await firstCells(csv, socialLimits.importRows);
  // An empty file that overwrites would end everything.
  if (lines.length === 0) throw new Problem('invalid', 'IMPORT_UNREADABLE', 'The file has no lines.');
  // PostgreSQL does not store this character.
  return lines.map(({ line, text }) => ({ line, text: text.replaceAll('\0', '').slice(0, STORED).toWellFormed() }));
}

export async function showImport(ctx: Context, { memberId }: Actor): Promise<{ import: SocialImport }> {
  const row = await importOf(ctx, memberId);
  if (row === undefined) throw new Problem('missing', 'IMPORT_NOT_FOUND', 'You have imported nothing.');
  return { import: shown(row) };
}

async function importOf({ db }: Pick<Context, 'db'>, memberId: string): Promise<SocialImportRow | undefined> {
  return await db.selectFrom('social_imports').selectAll().where('member_id', '=', memberId).executeTakeFirst();
}

function shown(row: SocialImportRow): SocialImport {
  return {
    what: row.what,
    mode: row.mode,
    state: row.state,
    total: row.total,
    done: row.done,
    imported: row.imported,
    requested: row.requested,
    present: row.present,
    removed: row.removed,
    refusedCount: row.refused,
    refused: (JSON.parse(row.report) as Refused[]).map(({ line, text, reason }) => ({
      line,
      text: text.slice(0, SHOWN).toWellFormed(),
      reason,
    })),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
