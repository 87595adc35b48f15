import { transaction, type Context } from '../../service/context.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { ContactBookRow } from '../../platform/store/tables/contacts.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { freeStorage } from '../../shared/members/storage.ts';

/** The kind of the jobs that remove the contacts of deleted books. */
const erasingKind = 'contacts-erasing';

/** Rows of one transaction. Other writers wait for it. */
const TOGETHER = 200;

interface Erasing {
  readonly id: string;
  readonly ownerId: string;
}

/** Has the contacts of a book removed, after the commit that deletes it and its key. */
export async function planErasing(
  tx: Context,
  { id, owner_id: ownerId }: Pick<ContactBookRow, 'id' | 'owner_id'>,
): Promise<void> {
  const now = tx.clock.now();
  const payload: Erasing = { id, ownerId };
  await planJob(tx.db, { id: `${erasingKind}/${id}`, kind: erasingKind, payload, runAt: now, now });
}

export function erasingHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const erasing = payload as Erasing;
    for (const erase of [eraseSome, forgetSome])
      while (!signal.aborted) if (!(await transaction(ctx, async (tx) => await erase(tx, erasing)))) break;
  };
}

const some = writtenQuery<{ id: string; bytes: number }>(
  'select id, bytes from contact_cards where book_id = $1 order by change_seq limit $2',
);
const removeCards = writtenList(0, (ids) => `delete from contact_cards where id in ${ids}`);

/** @returns whether some may be left */
async function eraseSome(tx: Context, { id, ownerId }: Erasing): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(some(id, TOGETHER));
  if (rows.length === 0) return false;
  await tx.db.executeQuery(removeCards(rows.map((row) => row.id)));
  await freeStorage(
    tx,
    ownerId,
    rows.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  return rows.length === TOGETHER;
}

const someGone = writtenQuery<{ name: string }>(
  'select name from contact_tombstones where book_id = $1 order by name limit $2',
);
const removeGone = writtenQuery('delete from contact_tombstones where book_id = $1 and name <= $2');

/** @returns whether some may be left */
async function forgetSome(tx: Context, { id }: Erasing): Promise<boolean> {
  const { rows } = await tx.db.executeQuery(someGone(id, TOGETHER));
  const last = rows.at(-1);
  if (last === undefined) return false;
  await tx.db.executeQuery(removeGone(id, last.name));
  return rows.length === TOGETHER;
}
