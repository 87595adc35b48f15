import type { Context } from '../../../service/context.ts';
import { eachStep } from '../../../service/sweep.ts';
import { purgeTrash } from '../trash/emptying.ts';
import { purgeUploads } from '../uploads/sessions.ts';
import { pruneVersions } from './pruning.ts';

/** Removes what has gone by the clock: uploads, what is in the trash, and versions. One that fails doesn't stop the others. */
export async function purgeFiles(ctx: Context): Promise<void> {
  await eachStep([purgeUploads, purgeTrash, pruneVersions].map((purge) => async () => await purge(ctx)));
}
