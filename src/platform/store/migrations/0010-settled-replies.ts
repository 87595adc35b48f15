import type { Db } from '../database.ts';

/**
 * A row used to be there before what was asked was done, and replies held backup codes, which can't be told from others any more.
 * What is kept is for a day at most.
 */
export async function up(db: Db): Promise<void> {
  await db.deleteFrom('idempotency_keys').execute();
}
