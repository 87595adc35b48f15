import type { Database } from '../database.ts';
import { forgetEvents } from '../event-rows.ts';

/**
 * Ends what must not outlive the moment of a backup. A session that was ended since, by a logout, a change of password or a
 * suspension, would live again with its token: which ones those are, nobody knows any more, so all of them go. Secrets of sessions
 * go with them. So do remembered answers: one may hold a token, and a key that a request had just taken then waits for nobody.
 * Nonces of answered challenges stay. What was published since the backup is forgotten: clients that heard of it must not take what comes
 * next for its continuation.
 *
 * @returns how many sessions there were
 */
export async function endSessions(database: Database): Promise<number> {
  return await database.transaction(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('sessions').executeTakeFirstOrThrow();
    await db.deleteFrom('idempotency_keys').execute();
    await forgetEvents(db);
    return Number(numDeletedRows);
  });
}
