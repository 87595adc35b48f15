import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { bytesOf, countedStorage, giveBytesBack, takeBytes } from '../../platform/store/member-storage.ts';

/**
 * Reserves bytes of a member's storage quota. It must run in the transaction that stores the row of the content.
 *
 * @param memberId the owner of the content, even if another member uploads it
 * @throws Problem tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function takeStorage(tx: Context, memberId: string, bytes: number): Promise<void> {
  const { perMemberBytes } = tx.config.storage;
  if (!(await takeBytes(tx.db, memberId, bytes, perMemberBytes))) throw quotaExceeded(perMemberBytes);
}

/** Releases the bytes again. It must run in the transaction that removes the row. */
export async function freeStorage(tx: Context, memberId: string, bytes: number): Promise<void> {
  await giveBytesBack(tx.db, memberId, bytes);
}

/** Releases bytes of several members, in the order of their ids: see `lockMembers`. It must run in the transaction that removes the rows. */
export async function freeStorageOf(
  tx: Context,
  rows: readonly { readonly memberId: string; readonly bytes: number }[],
): Promise<void> {
  const freed = new Map<string, number>();
  for (const { memberId, bytes } of rows) freed.set(memberId, (freed.get(memberId) ?? 0) + bytes);
  for (const memberId of [...freed.keys()].toSorted()) await freeStorage(tx, memberId, freed.get(memberId) ?? 0);
}

/**
 * An early check before content is written, so that content over the quota takes no disk space. It reserves nothing; only `takeStorage`
 * does.
 *
 * @throws Problem tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function assertStorageLeft(ctx: Context, memberId: string, bytes: number): Promise<void> {
  const { perMemberBytes } = ctx.config.storage;
  if ((await bytesOf(ctx.db, memberId)) + bytes > perMemberBytes) throw quotaExceeded(perMemberBytes);
}

function quotaExceeded(quota: number): Problem {
  return new Problem(
    'tooLarge',
    'STORAGE_QUOTA_EXCEEDED',
    `Your storage quota of ${quota} bytes is used up. It counts: ${countedStorage.join(', ')}. Delete something, or ask the operator for a higher quota (storage.per_member).`,
  );
}
