import { setImmediate as nextTurn } from 'node:timers/promises';
import { transaction, type Context } from '../../../context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import { Problem } from '../../../problem.ts';
import type { JobHandler } from '../../../store/jobs/jobs.ts';
import type { SocialImportRow } from '../../../store/tables/social-own.ts';
import { personRows, type PersonRow } from '../people/found.ts';
import type { Refused } from './importing.ts';
import { importers, type Importer } from './importers.ts';

/** Lines of one transaction. Other writers wait for it. */
const BATCH = 25;

/** Reads the lines of an import, a few in each transaction, and goes on where a process stopped. */
export function importHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { importId } = payload as { importId: string };
    const row = await ctx.db.selectFrom('social_imports').selectAll().where('id', '=', importId).executeTakeFirst();
    if (row === undefined || row.state === 'done') return;
    const lines = JSON.parse(row.lines) as [line: number, text: string][];
    const importer = importers[row.what];
    for (let done = row.done; done < lines.length;) {
      signal.throwIfAborted();
      const went = await transaction(ctx, async (tx) => await readLines(tx, importer, importId, lines));
      if (went === undefined) return;
      done = went;
      await nextTurn();
    }
    if (row.mode === 'overwrite')
      await endOthers(
        ctx,
        importer,
        row,
        lines.map(([, text]) => text),
        signal,
      );
    await ctx.db
      .updateTable('social_imports')
      .set({ state: 'done', lines: '[]', updated_at: ctx.clock.now() })
      .where('id', '=', importId)
      .execute();
  };
}

/** @returns how many lines are done now; undefined if the import, or its member, is gone */
async function readLines(
  tx: Context,
  importer: Importer,
  importId: string,
  lines: readonly [line: number, text: string][],
): Promise<number | undefined> {
  const row = await tx.db.selectFrom('social_imports').selectAll().where('id', '=', importId).executeTakeFirst();
  const self = row === undefined ? undefined : await selfOf(tx, row);
  if (row === undefined) return undefined;
  if (self === undefined) {
    // The member was suspended, or left.
    await tx.db.updateTable('social_imports').set({ state: 'done', lines: '[]' }).where('id', '=', importId).execute();
    return undefined;
  }
  const counts = { imported: row.imported, requested: row.requested, present: row.present, refused: row.refused };
  const report = JSON.parse(row.report) as Refused[];
  const now = lines.slice(row.done, row.done + BATCH);
  for (const [line, text] of now) {
    const outcome = await importer.add(tx, self, text).catch(codeOf);
    if (outcome === 'imported' || outcome === 'requested' || outcome === 'present') counts[outcome] += 1;
    else {
      counts.refused += 1;
      if (report.length < socialLimits.importReport) report.push({ line, text, reason: outcome });
    }
  }
  const done = row.done + now.length;
  await tx.db
    .updateTable('social_imports')
    .set({ ...counts, done, report: JSON.stringify(report), updated_at: tx.clock.now() })
    .where('id', '=', importId)
    .execute();
  return done;
}

async function selfOf(tx: Context, { member_id: memberId }: SocialImportRow): Promise<PersonRow | undefined> {
  const active = await tx.db
    .selectFrom('members')
    .select('id')
    .where('id', '=', memberId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return active === undefined ? undefined : (await personRows(tx, [memberId])).get(memberId);
}

/** A refusal is thrown before anything is written, so the transaction goes on. */
function codeOf(error: unknown): string {
  if (error instanceof Problem && error.kind !== 'internal' && error.kind !== 'unavailable') return error.code;
  throw error;
}

/** Ends what the file does not have, in batches. It is decided anew for each, so that a batch can run again. */
async function endOthers(
  ctx: Context,
  importer: Importer,
  { id, member_id: memberId }: SocialImportRow,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const kept = await importer.named(ctx, texts);
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const next = await transaction(ctx, async (tx) => {
      const those = await importer.all(tx, memberId, after, BATCH);
      const gone = those.filter((one) => !kept.has(one));
      for (const one of gone) await importer.end(tx, memberId, one);
      await tx.db
        .updateTable('social_imports')
        .set((e) => ({ removed: e('removed', '+', gone.length), updated_at: tx.clock.now() }))
        .where('id', '=', id)
        .execute();
      return those.length < BATCH ? undefined : those.at(-1);
    });
    if (next === undefined) return;
    after = next;
    await nextTurn();
  }
}
