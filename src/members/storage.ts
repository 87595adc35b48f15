import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { bytesOf, countedStorage, giveBytesBack, takeBytes } from '../store/member-storage.ts';

/**
 * Takes room from what a member may keep, in the transaction that makes the row of it.
 *
 * @param memberId whom the content belongs to, whoever brings it
 * @throws Problem tooLarge STORAGE_QUOTA_EXCEEDED
 */
export async function takeStorage(tx: Context, memberId: string, bytes: number): Promise<void> {
  const { perMemberBytes } = tx.config.storage;
  if (!(await takeBytes(tx.db, memberId, bytes, perMemberBytes))) throw quotaExceeded(perMemberBytes);
}

/** Gives it back, in the transaction that removes the row. */
export async function freeStorage(tx: Context, memberId: string, bytes: number): Promise<void> {
  await giveBytesBack(tx.db, memberId, bytes);
}

/**
 * For before content is written: what can't be taken afterwards costs no disk. Only taking it counts.
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
