import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { passedOver, passedOverWords, setListMark, type ListMark } from './list-mark.ts';
import { mendWriters } from './proven-writers.ts';
import { listAt, setHead } from './store.ts';

/**
 * What somebody changed in the database, before this node goes on the network: the list that this node followed last is active again if the
 * store still has it, and the table of nodes is written anew from the active list.
 */
export async function mendPool(ctx: Context): Promise<void> {
  const mark = await passedOver(ctx);
  if (mark !== undefined) {
    const done = await transaction(ctx, mendActiveList);
    const then = done
      ? 'That version is active again.'
      : 'No node is admitted. Restore the newest backup of the store.';
    ctx.log.error(`${passedOverWords(mark)} ${then}`, { poolId: mark.poolId, version: mark.version, hash: mark.hash });
    if (!done) return;
  }
  await setListMark(ctx);
  await mendWriters(ctx);
}

/** @returns false if the store doesn't have the list any more, or not its entry in the ledger */
async function mendActiveList(tx: Context): Promise<boolean> {
  const mark = await passedOver(tx);
  if (mark === undefined) return true;
  const list = await storedAt(tx, mark);
  const entry = await tx.db
    .selectFrom('ledger_entries')
    .select('entry_id')
    .where('leaf_index', '=', mark.index)
    .executeTakeFirst();
  if (list?.hash !== mark.hash || entry?.entry_id == null) return false;
  await setHead(tx.db, list, entry.entry_id);
  tx.afterCommit(async () => await tx.gossip.admissionChanged());
  return true;
}

async function storedAt({ db }: Context, { poolId, version }: ListMark): Promise<SignedList | undefined> {
  try {
    return await listAt(db, poolId, version);
  } catch (error) {
    if (error instanceof Problem && error.code === 'STORE_DAMAGED') return undefined;
    throw error;
  }
}
