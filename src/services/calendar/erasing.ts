import { transaction, type Context } from '../../service/context.ts';
import { isOfNode } from '../../service/sweep.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { removeSpace } from '../../platform/store/search/documents.ts';
import type { CalendarObjectRow, CalendarRow } from '../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { freeStorage } from '../../shared/members/storage.ts';
import { removeFile } from './imports/stored-file.ts';
import { announceErased } from './invitations/announce-erased.ts';
import { removeProposals } from './invitations/rows.ts';
import { removeReminders } from './reminders/plan.ts';
import { calendarSpaceName } from './indexing.ts';

/** The kind of the jobs that remove the events of deleted calendars. */
const erasingKind = 'calendar-erasing';

/** Objects of one transaction. Other writers wait for it. */
const TOGETHER = 200;

/** After so many tries to tell others of the events they are removed all the same. */
const TRIES = 3;

interface Erasing {
  readonly id: string;
  readonly ownerId: string;
  /** with what its events are opened once more, to tell others that they are gone; missing: nobody hears of it */
  readonly opens?: { readonly zone: string; /** as the row of the calendar had it, base64 */ readonly key: string };
}

/**
 * Has the events of a calendar removed, after the commit that deletes it and its key.
 * @param notify others hear of it. The job has the key until then.
 */
export async function planErasing(tx: Context, calendar: CalendarRow, notify: boolean): Promise<void> {
  const now = tx.clock.now();
  const { id, owner_id: ownerId, zone, content_key: key } = calendar;
  const opens = { zone, key: Buffer.from(key).toString('base64') };
  const payload: Erasing = { id, ownerId, ...(notify && { opens }) };
  await planJob(tx.db, { id: `${erasingKind}/${id}`, kind: erasingKind, payload, runAt: now, now });
}

export function erasingHandler(ctx: Context): JobHandler {
  return async (payload, { attempt, signal }) => {
    const erasing = payload as Erasing;
    try {
      await announce(ctx, erasing, signal);
    } catch (error) {
      if (attempt < TRIES || isOfNode(error)) throw error;
    }
    for (const erase of [eraseSome, forgetSome, eraseImport, unindexSome])
      while (!signal.aborted) if (!(await transaction(ctx, async (tx) => await erase(tx, erasing)))) break;
    // What is left, another process does.
    signal.throwIfAborted();
  };
}

async function announce(ctx: Context, { id, ownerId, opens }: Erasing, signal: AbortSignal): Promise<void> {
  if (opens === undefined) return;
  const calendar = { id, owner_id: ownerId, zone: opens.zone, content_key: Buffer.from(opens.key, 'base64') };
  const erase = async (tx: Context, row: Stored): Promise<void> => await eraseThese(tx, ownerId, [row]);
  await announceErased(ctx, calendar, { signal, erase });
}

type Stored = Pick<CalendarObjectRow, 'id' | 'bytes'>;

const some = writtenQuery<Stored>('select id, bytes from calendar_objects where calendar_id = $1 order by id limit $2');
const removeInstances = writtenList(0, (ids) => `delete from event_runs where object_id in ${ids}`);
const removeObjects = writtenList(0, (ids) => `delete from calendar_objects where id in ${ids}`);

/** @returns whether some may be left */
async function eraseSome(tx: Context, { id, ownerId }: Erasing): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(some(id, TOGETHER));
  if (rows.length === 0) return false;
  await eraseThese(tx, ownerId, rows);
  return rows.length === TOGETHER;
}

async function eraseThese(tx: Context, ownerId: string, rows: readonly Stored[]): Promise<void> {
  const ids = rows.map((row) => row.id);
  await tx.db.executeQuery(removeInstances(ids));
  await removeReminders(tx, ids);
  await removeProposals(tx, ids);
  await tx.db.executeQuery(removeObjects(ids));
  await freeStorage(
    tx,
    ownerId,
    rows.reduce((sum, { bytes }) => sum + bytes, 0),
  );
}

const someGone = writtenQuery<{ name: string }>(
  'select name from calendar_tombstones where calendar_id = $1 order by name limit $2',
);
const removeGone = writtenQuery('delete from calendar_tombstones where calendar_id = $1 and name <= $2');

/** @returns whether some may be left */
async function forgetSome(tx: Context, { id }: Erasing): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(someGone(id, TOGETHER));
  const last = rows.at(-1);
  if (last === undefined) return false;
  await tx.db.executeQuery(removeGone(id, last.name));
  return rows.length === TOGETHER;
}

const someImport = writtenQuery<{ id: string; bytes: number }>(
  'select id, bytes from calendar_imports where calendar_id = $1 limit 1',
);
const removeImport = writtenQuery('delete from calendar_imports where id = $1');

/** @returns whether some may be left */
async function eraseImport(tx: Context, { id, ownerId }: Erasing): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(someImport(id));
  const [row] = rows;
  if (row === undefined) return false;
  await freeStorage(tx, ownerId, row.bytes);
  await removeFile(tx, row);
  await tx.db.executeQuery(removeImport(row.id));
  return true;
}

/** @returns whether some is left */
async function unindexSome({ db }: Context, { id }: Erasing): Promise<boolean> {
  return await removeSpace(db, calendarSpaceName(id));
}
