import type { Context } from '../../../context.ts';
import { freeStorage } from '../../../members/storage.ts';

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

/** What was held for a file is that of a file now. It must run in a transaction. */
export async function useReserved({ db }: Context, containerId: string, bytes: number): Promise<void> {
  await db
    .updateTable('file_containers')
    .set((e) => ({ reserved: e('reserved', '-', bytes), used: e('used', '+', bytes) }))
    .where('id', '=', containerId)
    .execute();
}
