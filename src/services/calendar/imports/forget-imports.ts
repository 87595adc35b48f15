import type { Context } from '../../../service/context.ts';
import { sweep } from '../../../service/sweep.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { freeStorageOf } from '../../../shared/members/storage.ts';
import { removeFile } from './stored-file.ts';

/** So long it is known what came of an import. What nobody has gone on with for as long will not end any more. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Imports of one transaction. Other writers wait for it. */
const TOGETHER = 50;

interface OldImport {
  readonly id: string;
  readonly bytes: number;
  readonly owner_id: string;
}

const old = writtenList<OldImport>(
  1,
  // With a deleted calendar its imports go.
  (without) => `
  select i.id, i.bytes, c.owner_id from calendar_imports i join calendars c on c.id = i.calendar_id
  where i.updated_at <= $1 and i.id not in ${without} order by i.updated_at limit ${TOGETHER}`,
);
const forget = writtenQuery('delete from calendar_imports where id = $1');

/** Forgets imports that ended long ago, and files that were never read to their end. */
export async function forgetImports(ctx: Context): Promise<void> {
  const until = ctx.clock.now() - KEPT_MS;
  await sweep(ctx, {
    what: 'forgetting an import',
    most: TOGETHER,
    async step(tx, { most, without, found }) {
      const rows = (await tx.db.executeQuery(old(without, until))).rows.slice(0, most);
      found(rows.map(({ id }) => id));
      const held = rows.map(({ owner_id: memberId, bytes }) => ({ memberId, bytes }));
      await lockMembers(
        tx,
        held.map(({ memberId }) => memberId),
      );
      await freeStorageOf(tx, held);
      for (const row of rows) {
        await removeFile(tx, row);
        await tx.db.executeQuery(forget(row.id));
      }
    },
  });
}
