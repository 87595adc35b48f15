import type { Database } from '../database.ts';

/**
 * Ends what must not outlive the moment of a backup. A session that was ended since, by a logout, a change of password or a
 * suspension, would live again with its token: which ones those are, nobody knows any more, so all of them go. Secrets of sessions
 * go with them. So do remembered answers: one may hold a token, and a key that a request had just taken then waits for nobody.
 * Nonces of answered challenges stay.
 *
 * @returns how many sessions there were
 */
export async function endSessions(database: Database): Promise<number> {
  return await database.transaction(async (db) => {
    const { numDeletedRows } = await db.deleteFrom('sessions').executeTakeFirstOrThrow();
    await db.deleteFrom('idempotency_keys').execute();
    return Number(numDeletedRows);
  });
}
