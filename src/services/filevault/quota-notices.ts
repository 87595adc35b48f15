import type { Context } from '../../service/context.ts';
import { bytesOf } from '../../platform/store/member-storage.ts';
import type { FileContainerRow } from '../../platform/store/tables/filevault.ts';
import { noticeQuota } from './notices.ts';

const PERCENTS = [95, 80];

type Container = Pick<FileContainerRow, 'id' | 'owner_id' | 'name' | 'quota' | 'used'>;

/**
 * Tells the owner when files fill a quota to 80 and to 95 percent, once for each quota, in the transaction that stores a file.
 * @param container as it was before
 * @param size what was added
 */
export async function noticeQuotas(tx: Context, container: Container, size: number): Promise<void> {
  const { id, owner_id: ownerId, name, quota, used } = container;
  if (quota !== null) {
    const about = { ownerId, subject: id, what: `The container “${name}”` };
    await atCrossing(tx, { ...about, quota, before: used, after: used + size });
  }
  // Bytes are reserved when an upload begins, so the storage of the member is told by what it is now.
  const after = await bytesOf(tx.db, ownerId);
  const own = { ownerId, subject: ownerId, what: 'Your storage' };
  await atCrossing(tx, { ...own, quota: tx.config.storage.perMemberBytes, before: 0, after });
}

interface Filling {
  readonly ownerId: string;
  readonly subject: string;
  readonly what: string;
  readonly quota: number;
  readonly before: number;
  readonly after: number;
}

async function atCrossing(tx: Context, { ownerId, subject, what, quota, before, after }: Filling): Promise<void> {
  const percent = PERCENTS.find((one) => before * 100 < one * quota && after * 100 >= one * quota);
  if (percent === undefined) return;
  const { numInsertedOrUpdatedRows: added } = await tx.db
    .insertInto('file_quota_notices')
    .values({ subject, quota, percent })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (added === 1n) await noticeQuota(tx, { ownerId, subject, what, percent });
}
