import type { Db } from './database.ts';
import { sessionOf } from './executor.ts';

/**
 * Runs `body` as a part of the transaction of `db`. If it throws, none of its writes, signals and statements at the commit is left, and the
 * caller may catch the error and go on. After a statement that failed, the transaction as a whole has failed, as always.
 * @throws Error outside of a transaction
 */
export async function savepoint<T>(db: Db, body: () => Promise<T>): Promise<T> {
  return await sessionOf(db).savepoint(body);
}
