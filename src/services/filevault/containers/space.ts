import type { Context } from '../../../service/context.ts';
import { freeStorageOf } from '../../../shared/members/storage.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

/** What bytes of a container count as: those of its files, or those that uploads and quarantined files hold. */
type Count = 'used' | 'reserved';

/** Bytes of a container that are free again. */
export interface Freed {
  readonly containerId: string;
  readonly bytes: number;
}

/** Gives bytes back to a container and to its owner. It must run in a transaction. */
export async function freeSpace(tx: Context, containerId: string, count: Count, bytes: number): Promise<void> {
  await freeSpaces(tx, count, [{ containerId, bytes }]);
}

/** The same for several containers: first all of them, and then their owners, each in the order of the ids (see `lockMembers`). */
export async function freeSpaces(tx: Context, count: Count, rows: readonly Freed[]): Promise<void> {
  const freed = new Map<string, number>();
  for (const { containerId, bytes } of rows) freed.set(containerId, (freed.get(containerId) ?? 0) + bytes);
  const owned: { memberId: string; bytes: number }[] = [];
  for (const containerId of [...freed.keys()].toSorted()) {
    const bytes = freed.get(containerId) ?? 0;
    const { owner_id: memberId } = await tx.db
      .updateTable('file_containers')
      .set((e) => ({ [count]: e(count, '-', bytes) }))
      .where('id', '=', containerId)
      .returning('owner_id')
      .executeTakeFirstOrThrow();
    owned.push({ memberId, bytes });
  }
  await freeStorageOf(tx, owned);
}

const moveReserved = writtenQuery(
  'update file_containers set reserved = reserved - $1, used = used + $1 where id = $2',
);

/** What was held for a file is that of a file now. It must run in a transaction. */
export async function useReserved({ db }: Context, containerId: string, bytes: number): Promise<void> {
  await db.executeQuery(moveReserved(bytes, containerId));
}
