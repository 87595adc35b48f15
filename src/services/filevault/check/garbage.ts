import { requireRole, type Actor } from '../../../service/actor.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { isReferred } from '../../../platform/store/blocks/references.ts';
import { finishErasures, planErasure } from '../destruction/erasures.ts';
import { dropContents } from '../keeping/pruning.ts';
import { purgeUploads } from '../uploads/sessions.ts';
import { orphanedContents } from './counts.ts';

/** Blocks that one request looks at. */
const BLOCKS = 500;
const CONTENTS = 50;
/** The longest time between writing a block and the row that refers to it is an hour. */
const YOUNG_MS = 2 * 3_600_000;

interface Collected {
  uploads: number;
  orphans: number;
  blocks: number;
  bytes: number;
  next: string | null;
}

/** Drops what no file refers to, of the whole node. What other services refer to stays. */
export async function collectFiles(
  ctx: Context,
  actor: Actor,
  { dryRun, after }: { readonly dryRun: boolean; readonly after?: string | undefined },
): Promise<Collected> {
  requireRole(actor, { all: ['admin', 'system'] });
  const rows = after === undefined ? await collectRows(ctx, dryRun) : { uploads: 0, orphans: 0, bytes: 0 };
  const { blocks, next } = await unreferredBlocks(ctx, after ?? '');
  if (!dryRun)
    await transaction(
      ctx,
      async (tx) =>
        await dropBlocks(
          tx,
          blocks.map(({ id }) => id),
        ),
    );
  const found = {
    uploads: rows.uploads,
    orphans: rows.orphans,
    blocks: blocks.length,
    bytes: blocks.reduce((sum, { size }) => sum + size, rows.bytes),
    next: next ?? null,
  };
  if (!dryRun && found.uploads + found.orphans + found.blocks > 0)
    ctx.log.info('what no file referred to was dropped', { ...found });
  return found;
}

async function collectRows(ctx: Context, dryRun: boolean) {
  const { uploads } = await ctx.db
    .selectFrom('file_uploads')
    .select((e) => e.fn.countAll<number>().as('uploads'))
    .where('expires_at', '<=', ctx.clock.now())
    .where('finalized_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (!dryRun) await purgeUploads(ctx);
  let [orphans, bytes] = [0, 0];
  for (;;) {
    const found = dryRun
      ? { rows: await orphanedContents(ctx, undefined, BLOCKS), erasures: [] }
      : await transaction(ctx, async (tx) => {
          const rows = await orphanedContents(tx, undefined, CONTENTS);
          if (rows.length === 0) return { rows, erasures: [] };
          await dropContents(
            tx,
            rows.map(({ id }) => id),
          );
          const slots = rows.map(({ slot }) => slot);
          return { rows, erasures: [await planErasure(tx, slots)] };
        });
    await finishErasures(ctx, found.erasures);
    orphans += found.rows.length;
    bytes += found.rows.reduce((sum, { size }) => sum + size, 0);
    if (dryRun || found.rows.length < CONTENTS) return { uploads, orphans, bytes };
  }
}

/** Blocks on the disk that no row of any service refers to. @returns them, and where to go on */
export async function unreferredBlocks(
  ctx: Context,
  after: string,
): Promise<{ readonly blocks: { id: string; size: number }[]; readonly next: string | undefined }> {
  const young = ctx.clock.now() - YOUNG_MS;
  const blocks: { id: string; size: number }[] = [];
  let looked = 0;
  for await (const { id, size, storedAt } of ctx.blocks.list(after)) {
    looked += 1;
    if (storedAt <= young && !(await isReferred(ctx.db, id))) blocks.push({ id, size });
    if (looked === BLOCKS) return { blocks, next: id };
  }
  return { blocks, next: undefined };
}
