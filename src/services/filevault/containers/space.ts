import type { Context } from '../../../service/context.ts';
import { freeStorage } from '../../../shared/members/storage.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

/** What bytes of a container count as: those of its files, or those that uploads and quarantined files hold. */
type Count = 'used' | 'reserved';

/** Gives bytes back to a container and to its owner. It must run in a transaction. */
export async function freeSpace(tx: Context, containerId: string, count: Count, bytes: number): Promise<void> {
  const { owner_id: owner } = await tx.db
    .updateTable('file_containers')
    .set((e) => ({ [count]: e(count, '-', bytes) }))
    .where('id', '=', containerId)
    .returning('owner_id')
    .executeTakeFirstOrThrow();
  await freeStorage(tx, owner, bytes);
}

const moveReserved = writtenQuery(
  'update file_containers set reserved = reserved - $1, used = used + $1 where id = $2',
);

/** What was held for a file is that of a file now. It must run in a transaction. */
export async function useReserved({ db }: Context, containerId: string, bytes: number): Promise<void> {
  await db.executeQuery(moveReserved(bytes, containerId));
}
