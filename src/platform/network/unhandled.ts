import type { Database, Db } from '../store/database.ts';

/** Values per statement. */
const BATCH = 500;

/** An envelope with announcements that this node has recorded and not handled. */
export interface Unhandled {
  readonly id: string;
  /** how often they were handed out */
  readonly attempts: number;
  readonly nextAt: number;
  /** ids of those that are not handled; undefined: none is */
  readonly open: readonly string[] | undefined;
}

export async function listUnhandled(db: Db): Promise<Unhandled[]> {
  const rows = await db.selectFrom('gossip_unhandled').selectAll().execute();
  return rows.map(({ id, attempts, next_at: nextAt, announcements }) => ({
    id,
    attempts,
    nextAt,
    open: announcements === null ? undefined : (JSON.parse(announcements) as string[]),
  }));
}

/** Notes envelopes that are handed out for the first time. */
export async function noteUnhandled(db: Db, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const rows = ids.slice(at, at + BATCH).map((id) => ({ id, attempts: 1, next_at: 0, announcements: null }));
    await db
      .insertInto('gossip_unhandled')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

export async function forgetUnhandled(db: Db, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH)
    await db
      .deleteFrom('gossip_unhandled')
      .where('id', 'in', ids.slice(at, at + BATCH))
      .execute();
}

export async function changeUnhandled(database: Database, changed: readonly Unhandled[]): Promise<void> {
  if (changed.length === 0) return;
  await database.transaction(async (db) => {
    for (const { id, attempts, nextAt, open } of changed) {
      const announcements = open === undefined ? null : JSON.stringify(open);
      await db
        .updateTable('gossip_unhandled')
        .set({ attempts, next_at: nextAt, announcements })
        .where('id', '=', id)
        .execute();
    }
  });
}
