import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { savepoint } from '../../../platform/store/savepoint.ts';

/** Does one of several things in a transaction. If it cannot be done, nothing of it is left, and the others are done all the same. */
export async function apart(tx: Context, work: () => Promise<void>): Promise<void> {
  try {
    await savepoint(tx.db, work);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tx.log.warn('a message about an event could not be taken', { code: error.code });
  }
}
