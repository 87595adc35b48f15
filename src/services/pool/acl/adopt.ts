import type { Context } from '../../../service/context.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import { settleRequests } from '../joining/queue.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { setListMark } from './list-mark.ts';
import { updateDecisions } from './open-decisions.ts';
import { nameWriters, poolHead, setHead, storeList } from './store.ts';

export interface Adoption {
  /** the active list as far as the caller knows; undefined if there is none */
  readonly from: { readonly poolId: string; readonly hash: string } | undefined;
  /** in order and verified; the last one becomes active */
  readonly lists: readonly [SignedList, ...SignedList[]];
  /** id of the node that sent them */
  readonly source: string;
}

/**
 * Makes an access list the active one, stores the lists before it, and records it in the ledger. It must run in a transaction.
 * @returns false if the active list isn't the one that the caller expected; nothing was changed then
 */
export async function adopt(tx: Context, { from, lists, source }: Adoption): Promise<boolean> {
  const now = await poolHead(tx.db);
  if (now?.pool_id !== from?.poolId || now?.hash !== from?.hash) return false;
  const head = lists.at(-1) ?? lists[0];
  const { poolId, version } = head.document;
  for (const list of lists) await storeList(tx, list, source);
  await nameWriters(tx.db, head.document);
  const entry = await appendEntry(tx, { type: 'POOL_ACL', data: { poolId, version, hash: head.hash } });
  await setHead(tx.db, head, entry);
  await updateDecisions(tx, lists);
  await settleRequests(tx, head.document);
  tx.afterCommit(async () => await setListMark({ ...tx, db: tx.store.db }));
  tx.afterCommit(async () => {
    tx.log.info('access list activated', { poolId, version, hash: head.hash, source });
    await tx.gossip.admissionChanged();
  });
  return true;
}
