import { sql } from 'kysely';
import type { Database, Db } from '../database.ts';
import { enqueue, type JobHandler } from '../jobs/jobs.ts';
import { dialectOf } from './dialect.ts';
import { searchMergeKind } from './merge-kind.ts';
import { earliest, inside, latest, type Position } from './position.ts';
import { newPostings } from './postings.ts';

/** Limits, in words of documents and in postings. Each word of a document has one posting. */
export interface MergeBounds {
  /** postings are made after about this many words wait, because every search looks at all waiting documents */
  readonly pending: number;
  /** if this many words wait, the jobs don't run or are too slow, so the transaction that adds documents makes postings too */
  readonly backlog: number;
  /** the most that one transaction handles */
  readonly step: number;
  /** the number of recent postings that stay together */
  readonly recent: number;
}

export const usualBounds: MergeBounds = { pending: 8_192, backlog: 16_384, step: 16_384, recent: 200_000 };

/**
 * Has postings made of the waiting documents, about once in `bounds.pending` words. The waiting words are seldom counted: on PostgreSQL a
 * transaction that counts them collides with transactions that add documents.
 */
export async function requestMerge(
  db: Db,
  name: string,
  words: number,
  random: () => number,
  bounds: MergeBounds = usualBounds,
): Promise<void> {
  const drawn = random();
  if (drawn * bounds.pending >= words) return;
  const { id } = await db.selectFrom('search_spaces').select('id').where('name', '=', name).executeTakeFirstOrThrow();
  if (drawn * bounds.backlog < words) await catchUp(db, id, bounds);
  // Every job has its own id, so no transaction waits for another. The second of two jobs finds nothing to do.
  const job = `${searchMergeKind}/${id}/${Math.floor(random() * Number.MAX_SAFE_INTEGER)}`;
  await enqueue(db, { id: job, kind: searchMergeKind, payload: id, runAt: 0, now: 0 });
}

/** Handles more words than come between two calls. Otherwise a backlog would never end. */
async function catchUp(db: Db, space: number, bounds: MergeBounds): Promise<void> {
  // Locked first: a transaction that had read what a job changes would make the job collide, and its work would be lost.
  if ((await lockState(db, space)) === undefined) return;
  const { rows } = await sql<{ size: number }>`
    select cast(coalesce(sum(size), 0) as bigint) as size from search_pending where space = ${space}`.execute(db);
  const size = rows[0]?.size ?? 0;
  if (size < bounds.backlog) return;
  for (let made = 0; made < Math.min(size, 2 * bounds.backlog); made += bounds.step) await mergeStep(db, space, bounds);
}

interface MergeState {
  readonly recent: number;
  readonly moved_to: string | null;
}

/** Only one transaction at a time makes postings of a space. @returns undefined if another one does */
async function lockState(db: Db, space: number): Promise<MergeState | undefined> {
  const { rows } = await sql<MergeState>`
    select recent, moved_to from search_merges where space = ${space} ${dialectOf(db).locked}`.execute(db);
  return rows[0];
}

/**
 * Makes postings of the waiting documents, in steps of one transaction each. If it is cut off, the next run continues there. If another
 * process is already working on the space, this one leaves it the work.
 */
export function searchMergeHandler(database: Pick<Database, 'transaction'>, bounds?: MergeBounds): JobHandler {
  return async (space, { signal }) => {
    while (!signal.aborted) if (!(await database.transaction((db) => mergeStep(db, space as number, bounds)))) return;
  };
}

/** @returns whether there is more to do */
export async function mergeStep(db: Db, space: number, bounds: MergeBounds = usualBounds): Promise<boolean> {
  const state = await lockState(db, space);
  if (state === undefined) return false;
  const made = await makePostings(db, space, bounds.step);
  const recent = state.recent + (dialectOf(db).gathersPostings ? (made ?? 0) : 0);
  const moves = recent >= (made === undefined ? bounds.recent : 2 * bounds.recent);
  if (moves || (made === undefined && state.moved_to !== null))
    return (await movePostings(db, space, { ...state, recent }, bounds)) || made !== undefined;
  if (made === undefined) return false;
  // Also if the number stays: a transaction that began before this one collides here, and does not make the same postings again.
  await db.updateTable('search_merges').set({ recent }).where('space', '=', space).execute();
  return true;
}

/** Takes the first documents, so that postings are made in order. @returns how many postings were made; undefined if no document waited */
async function makePostings(db: Db, space: number, step: number): Promise<number | undefined> {
  const { rows } = await sql<Position>`
    select at, number from (
      select at, number, sum(size) over (order by at, number) - size as words from search_pending where space = ${space}
    ) waiting where words >= ${step} order by at, number limit 1`.execute(db);
  if (rows.length > 0) await dialectOf(db).adding?.hold(space).execute(db);
  const those = sql<boolean>`space = ${space} and ${inside(earliest, rows[0] ?? latest)}`;
  const dialect = dialectOf(db);
  const { numAffectedRows: made } = await sql`
    insert into ${newPostings(db)} (space, word, at, number)
    select d.space, list.key, d.at, d.number
    from (select space, at, number, words from search_pending where ${those}) d
    cross join ${dialect.keys(sql`d.words`)}
    order by list.key, d.at, d.number`.execute(db);
  const { numAffectedRows: taken } = await sql`delete from search_pending where ${those}`.execute(db);
  return taken === 0n ? undefined : Number(made);
}

/** Moves postings in the order of words, so that each page of the large table is written once. @returns whether there is more to do */
async function movePostings(
  db: Db,
  space: number,
  { recent, moved_to }: MergeState,
  bounds: MergeBounds,
): Promise<boolean> {
  const rest = sql<boolean>`space = ${space} and word > ${moved_to ?? ''}`;
  const { rows } = await sql<{ word: string }>`
    select word from search_recent where ${rest} order by word limit 1 offset ${bounds.step - 1}`.execute(db);
  const last = rows[0]?.word;
  const those = last === undefined ? rest : sql<boolean>`${rest} and word <= ${last}`;
  await sql`insert into search_postings (space, word, at, number)
    select space, word, at, number from search_recent where ${those} order by word, at, number`.execute(db);
  const { numAffectedRows: moved = 0n } = await sql`delete from search_recent where ${those}`.execute(db);
  const left = last === undefined ? await countRecent(db, space) : Math.max(0, recent - Number(moved));
  await db
    .updateTable('search_merges')
    .set({ recent: left, moved_to: last ?? null })
    .where('space', '=', space)
    .execute();
  return last !== undefined || left >= bounds.recent;
}

/** Removals and changes don't update the number of recent postings: every removal would collide with the merges. So they are counted. */
async function countRecent(db: Db, space: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as bigint) as count from search_recent where space = ${space}`.execute(db);
  return rows[0]?.count ?? 0;
}
