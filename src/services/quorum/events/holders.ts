import type { Context } from '../../../service/context.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { holdersChanged } from '../documents/holders.ts';
import { noticeTo } from './notices.ts';

const type = 'quorum_holders_changed';

/** Creators with a document of which this member has a current share. */
async function creatorsOf(tx: Context, memberId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('quorum_documents as d')
    .innerJoin('quorum_shares as s', (join) =>
      join.onRef('s.document_id', '=', 'd.id').onRef('s.generation', '=', 'd.generation'),
    )
    .where('s.member_id', '=', memberId)
    .select('d.creator_id')
    .distinct()
    .orderBy('d.creator_id')
    .execute();
  return rows.map(({ creator_id: id }) => id);
}

/** How many documents of each creator have a holder who is no member any more. */
async function changedOf(tx: Context, creatorIds: readonly string[]): Promise<Map<string, number>> {
  if (creatorIds.length === 0) return new Map();
  const rows = await tx.db
    .selectFrom('quorum_documents')
    .where('creator_id', 'in', creatorIds)
    .where((e) => holdersChanged(e))
    .groupBy('creator_id')
    .select(({ fn }) => ['creator_id', fn.countAll<number>().as('count')])
    .orderBy('creator_id')
    .execute();
  return new Map(rows.map((row) => [row.creator_id, row.count]));
}

/**
 * Notifies the creators of documents that a removed member holds, in the transaction of the removal and after it. However many documents a
 * creator has, it is one notification.
 */
export async function noticeHoldersChanged(tx: Context, actorId: string, memberId: string): Promise<void> {
  for (const [creatorId, count] of await changedOf(tx, await creatorsOf(tx, memberId))) {
    const which = count === 1 ? 'A document of yours has' : `${count} documents of yours have`;
    const content = `${which} a holder who is no member of the quorum any more. Share ${count === 1 ? 'it' : 'them'} anew.`;
    await noticeTo(tx, [creatorId], { type, actorId, targetId: tx.keys.nodeId, content });
  }
}

/** Withdraws that from creators whose documents all have active holders again, in the transaction that makes it so. */
export async function noticeHoldersKept(tx: Context, creatorIds: readonly string[]): Promise<void> {
  const changed = await changedOf(tx, creatorIds);
  for (const recipientId of creatorIds)
    if (!changed.has(recipientId)) await withdraw(tx, { targetId: tx.keys.nodeId, type, recipientId });
}

/** The same when a member with earlier shares is a member again. */
export async function noticeHolderBack(tx: Context, memberId: string): Promise<void> {
  await noticeHoldersKept(tx, await creatorsOf(tx, memberId));
}
