import type { Db } from '../../store/database.ts';
import { writtenReceipt, type Receipt } from './receipt.ts';

/** What this node said of a message before. */
export interface KnownMessage {
  readonly bodyHash: string;
  readonly receipt: Receipt;
}

export async function knownMessages(
  db: Db,
  nodeId: string,
  channel: string,
  ids: readonly string[],
): Promise<Map<string, KnownMessage>> {
  const rows = await db
    .selectFrom('inbox_messages')
    .select(['id', 'body_hash', 'receipt'])
    .where('node_id', '=', nodeId)
    .where('channel', '=', channel)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, { bodyHash: row.body_hash, receipt: JSON.parse(row.receipt) as Receipt }]));
}

/** Notes the outcomes of new messages. Returns false when one of them is not new any more. */
export async function addKnown(db: Db, receipts: readonly Receipt[], keepUntil: (id: string) => number) {
  if (receipts.length === 0) return true;
  const rows = receipts.map((receipt) => ({
    node_id: receipt.sender,
    channel: receipt.channel,
    id: receipt.id,
    body_hash: receipt.bodyHash,
    receipt: writtenReceipt(receipt),
    keep_until: keepUntil(receipt.id),
  }));
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('inbox_messages')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['node_id', 'channel', 'id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === BigInt(rows.length);
}

export async function replaceReceipt(db: Db, receipt: Receipt): Promise<void> {
  await db
    .updateTable('inbox_messages')
    .set({ receipt: writtenReceipt(receipt) })
    .where('node_id', '=', receipt.sender)
    .where('channel', '=', receipt.channel)
    .where('id', '=', receipt.id)
    .execute();
}

/** The number of messages whose outcomes are kept for each sender. */
export async function countKnown(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('inbox_messages')
    .select(['node_id', (e) => e.fn.countAll<number>().as('rows')])
    .groupBy('node_id')
    .execute();
  return new Map(rows.map((row) => [row.node_id, row.rows]));
}
