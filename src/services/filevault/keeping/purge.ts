import type { Context } from '../../../service/context.ts';
import { purgeTrash } from '../trash/emptying.ts';
import { purgeUploads } from '../uploads/sessions.ts';
import { pruneVersions } from './pruning.ts';

/** Removes what has gone by the clock: uploads, what is in the trash, and versions. One that fails doesn't stop the others. */
export async function purgeFiles(ctx: Context): Promise<void> {
  const failures: unknown[] = [];
  for (const purge of [purgeUploads, purgeTrash, pruneVersions])
    try {
      await purge(ctx);
    } catch (error) {
      failures.push(error);
    }
  // The job is tried again.
  if (failures.length > 0) throw failures[0];
}
