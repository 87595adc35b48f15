import type { Db } from '../store/database.ts';
import { writtenQuery } from '../store/written-query.ts';

const select = writtenQuery('select position from ledger_waiting limit 1');

/** Whether entries wait for their places. Every command asks this, so it loads nothing else. */
export async function anyWaiting(db: Db): Promise<boolean> {
  return (await db.executeQuery(select())).rows.length > 0;
}
