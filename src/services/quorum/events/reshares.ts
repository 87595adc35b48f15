import type { Context } from '../../../service/context.ts';
import { quorumEvents } from '../../../contract/quorum/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { QuorumReshareRow } from '../../../platform/store/tables/quorum.ts';
import { withdraw } from '../../../shared/notifications/withdraw.ts';
import { noticeHoldersKept } from './holders.ts';
import { nameOf, noticeDone, noticeTo } from './notices.ts';
import { accountsOf } from '../members/accounts.ts';
import { tellAll } from './telling.ts';
import { accountTopic } from './topics.ts';

async function newHolders(tx: Context, { member_ids: ids }: QuorumReshareRow): Promise<string[]> {
  return await accountsOf(tx, JSON.parse(ids) as string[]);
}

/** Asks the new holders to look at their shares, in the transaction that stores these. */
export async function tellConfirmationsWanted(tx: Context, row: QuorumReshareRow): Promise<void> {
  const holders = await newHolders(tx, row);
  await tellAll(tx, holders, quorumEvents.confirmationWanted, {
    reshareId: row.id,
    documentId: row.document_id,
    requesterId: row.requester_id,
    sharesRequired: row.shares_required,
    expiresAt: new Date(row.expires_at).toISOString(),
  });
  const { requester_id: actorId, id: targetId } = row;
  const content = `${await nameOf(tx, actorId)} has shared a document anew. Confirm that your new share is readable.`;
  await noticeTo(tx, holders, { type: 'quorum_confirmation_wanted', actorId, targetId, content });
}

/** Tells the requester who confirmed, in the transaction of the confirmation. @param memberId of the member of the quorum */
export async function tellConfirmation(tx: Context, row: QuorumReshareRow, memberId: string): Promise<void> {
  await noticeDone(tx, 'quorum_confirmation_wanted', row.id, memberId);
  const { count } = await tx.db
    .selectFrom('quorum_shares')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('document_id', '=', row.document_id)
    .where('generation', '=', row.to_generation)
    .where('confirmation', 'is not', null)
    .executeTakeFirstOrThrow();
  await publish(tx, accountTopic(row.requester_id), quorumEvents.confirmation, {
    reshareId: row.id,
    documentId: row.document_id,
    memberId,
    confirmed: count,
    sharesRequired: row.shares_required,
  });
}

/** Tells everybody concerned that a document has new shares, in the transaction that puts them in place. */
export async function tellReshared(tx: Context, row: QuorumReshareRow, creatorId: string): Promise<void> {
  await withdraw(tx, { targetId: row.id });
  await noticeHoldersKept(tx, [creatorId]);
  const whom = new Set([row.requester_id, creatorId, ...(await newHolders(tx, row))]);
  const data = { reshareId: row.id, documentId: row.document_id, generation: row.to_generation };
  await tellAll(tx, whom, quorumEvents.reshared, data);
}

/** Tells everybody who was asked that a re-sharing came to nothing, in the transaction that ends it. */
export async function tellReshareEnded(
  tx: Context,
  row: QuorumReshareRow,
  status: 'cancelled' | 'expired',
): Promise<void> {
  await withdraw(tx, { targetId: row.id });
  const asked = row.status === 'confirming' ? await newHolders(tx, row) : [];
  const data = { reshareId: row.id, documentId: row.document_id, status };
  await tellAll(tx, new Set([row.requester_id, ...asked]), quorumEvents.reshareEnded, data);
}
