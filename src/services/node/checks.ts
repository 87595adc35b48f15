import { Problem } from '../../base/problem.ts';
import type { Context } from '../../service/context.ts';
import { blockFolderFault } from '../../platform/store/blocks/folder-id.ts';
import { erasureFiles } from '../../platform/store/erasure.ts';
import type { Check } from '../../platform/store/verify.ts';

/** Whether what lies beside the database is the store's own. */

export async function checkBlockFolder(ctx: Context): Promise<Check> {
  const fault = await blockFolderFault({ store: ctx.store, dataDir: ctx.config.dataDir, blocks: ctx.blocks });
  return { name: 'folder of blocks', ok: fault === undefined, detail: fault ?? 'belongs to this store' };
}

/** The keys that the file vault needs, and what can't be opened without them. */
export async function checkErasureKeys(ctx: Context): Promise<Check> {
  const name = 'erasure keys';
  const lost = await countLost(ctx);
  const faults = lost === 0 ? [] : [`The keys of ${lost} files of the file vault were lost. Nothing opens these files`];
  try {
    const found = await ctx.erasure.check();
    if (faults.length === 0)
      return { name, ok: true, detail: found === undefined ? 'none needed yet' : `of generation ${found.generation}` };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    faults.unshift(error.message.replace(/\.$/, ''));
  }
  return { name, ok: false, detail: faults.join('. ') };
}

/** How many files have a version that is sealed under lost keys. */
async function countLost({ db }: Context): Promise<number> {
  const lost = (await erasureFiles(db)).filter((row) => row.lost === 1);
  let files = 0;
  for (const { first_slot: first, next_slot: next } of lost) {
    const { count } = await db
      .selectFrom('file_contents')
      .select(({ fn }) => fn.count<number>('file_id').distinct().as('count'))
      .where('slot', '>=', first)
      .where('slot', '<', next)
      .executeTakeFirstOrThrow();
    files += count;
  }
  return files;
}
