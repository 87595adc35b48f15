import { setImmediate as nextTurn } from 'node:timers/promises';
import { transaction, type Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { ImportState } from '../../../contract/social/transfer.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { SocialImportRow } from '../../../platform/store/tables/social-own.ts';
import { isOfNode } from '../../../service/sweep.ts';
import { lockProfiles } from '../people/follows.ts';
import { personRows, type PersonRow } from '../people/found.ts';
import type { Refused } from './importing.ts';
import { importers, type Importer } from './importers.ts';
import { ownedBehind } from './owned.ts';

/** After so many tries a line that can't be read is refused, and where that fails too the member is told that all failed. */
const TRIES = 3;
/** Lines of one transaction. Other writers wait for it. */
const BATCH = 25;

/** Reads the lines of an import, a few in each transaction, and goes on where a process stopped. */
export function importHandler(ctx: Context): JobHandler {
  return async (payload, { attempt, signal }) => {
    const { importId } = payload as { importId: string };
    const row = await ctx.db.selectFrom('social_imports').selectAll().where('id', '=', importId).executeTakeFirst();
    if (row?.state !== 'pending') return;
    try {
      await readImport(ctx, row, { signal, isLast: attempt >= TRIES });
    } catch (error) {
      if (attempt < TRIES || signal.aborted) throw error;
      ctx.log.error('an import could not be read to its end', { import: importId, error });
      await end(ctx, importId, 'failed');
    }
  };
}

interface Reading {
  readonly signal: AbortSignal;
  /** there is no other try */
  readonly isLast: boolean;
}

async function readImport(ctx: Context, row: SocialImportRow, { signal, isLast }: Reading): Promise<void> {
  const lines = JSON.parse(row.lines) as [line: number, text: string][];
  const importer = importers[row.what];
  // First, so that what comes has the room of what goes. What a member does after it stays, also if a line has to be read again.
  if (row.mode === 'overwrite' && row.done === 0)
    await endOthers(
      ctx,
      row,
      lines.map(([, text]) => text),
      signal,
    );
  for (let done = row.done; done < lines.length;) {
    signal.throwIfAborted();
    const went = await readSome(ctx, importer, row.id, lines, isLast);
    if (went === undefined) return;
    done = went;
    await nextTurn();
  }
  await end(ctx, row.id, 'done');
}

async function end({ db, clock }: Context, id: string, state: Exclude<ImportState, 'pending'>): Promise<void> {
  await db
    .updateTable('social_imports')
    .set({ state, lines: '[]', updated_at: clock.now() })
    .where('id', '=', id)
    .execute();
}

/** In the last try, lines of a batch that fails are read one by one, and one that fails alone is refused, so that the others come. */
async function readSome(
  ctx: Context,
  importer: Importer,
  importId: string,
  lines: readonly Line[],
  isLast: boolean,
): Promise<number | undefined> {
  const read = async (how: { most: number; refused?: boolean }) =>
    await transaction(ctx, async (tx) => await readLines(tx, importer, importId, lines, how));
  try {
    return await read({ most: BATCH });
  } catch (error) {
    if (!isLast || isOfNode(error)) throw error;
  }
  try {
    return await read({ most: 1 });
  } catch (error) {
    if (isOfNode(error)) throw error;
    ctx.log.error('a line of an import could not be read', { import: importId, error });
    return await read({ most: 1, refused: true });
  }
}

type Line = [line: number, text: string];

/**
 * @param refused without looking at them
 * @returns how many lines are done now; undefined if the import, or its member, is gone
 */
async function readLines(
  tx: Context,
  importer: Importer,
  importId: string,
  lines: readonly Line[],
  { most, refused = false }: { readonly most: number; readonly refused?: boolean },
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
  const now = lines.slice(row.done, row.done + most);
  const texts = now.map(([, text]) => text);
  if (!refused) await lockProfiles(tx, async () => [self.id, ...(await importer.named(tx, self.id, texts))]);
  for (const [line, text] of now) {
    const outcome = refused ? 'INTERNAL_ERROR' : await importer.add(tx, self, text).catch(codeOf);
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

/**
 * Ends what an export would have and the file does not, in batches. It is decided anew for each, so that a batch can run again. A file that
 * names nothing of this node is of another one, or of something else, and ends nothing.
 */
async function endOthers(
  ctx: Context,
  { id, what, member_id: memberId }: SocialImportRow,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const importer = importers[what];
  const kept = await importer.named(ctx, memberId, texts);
  if (kept.size === 0) return;
  for (let after: string | undefined = ''; after !== undefined;) {
    signal.throwIfAborted();
    const from: string = after;
    after = await transaction(ctx, async (tx) => {
      const { found, next } = await ownedBehind(tx, memberId, what, { after: from, most: BATCH });
      const gone = found.filter((one) => !kept.has(one.id));
      for (const one of gone) await importer.end(tx, memberId, one.id);
      await tx.db
        .updateTable('social_imports')
        .set((e) => ({ removed: e('removed', '+', gone.length), updated_at: tx.clock.now() }))
        .where('id', '=', id)
        .execute();
      return next;
    });
    await nextTurn();
  }
}
