import type { Context } from '../../../service/context.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../crypto/formats/access-list/document.ts';
import { fulfils, inOrder, keepStricter, type SafeDecision } from './safe-decisions.ts';
import { withDecisions } from './taking-over.ts';

/** Decisions of branches that don't count and that the active list hasn't taken over yet. */
export async function openDecisions(db: Db, poolId: string): Promise<SafeDecision[]> {
  const rows = await db.selectFrom('pool_open_decisions').selectAll().where('pool_id', '=', poolId).execute();
  return inOrder(
    rows.map((row) => ({
      kind: row.kind,
      subject: row.subject,
      value: row.value,
      by: row.decided_by,
      at: row.issued_at,
      since: row.since,
    })),
  );
}

/**
 * Brings the open decisions up to date. Those that are open already stay, even if the lists that they came from aren't kept any more.
 * @param path lists that became active since, the last of which is active now
 * @param found decisions of branches that came now
 * @param isAll whether these are all, so that none stays that isn't among them
 */
export async function updateDecisions(
  tx: Context,
  path: readonly [SignedList, ...SignedList[]],
  found: readonly SafeDecision[] = [],
  isAll = false,
): Promise<void> {
  const { document } = path.at(-1) ?? path[0];
  const { poolId } = document;
  const before = await openDecisions(tx.db, poolId);
  if (before.length + found.length === 0) return;
  const open = new Map<string, SafeDecision>();
  const settled = (one: SafeDecision) =>
    path.some((list) => list.document.version > one.since && fulfils(list.document, one));
  if (!isAll) for (const one of before) if (!settled(one)) keepStricter(open, one);
  for (const one of found) keepStricter(open, one);
  if (JSON.stringify(inOrder(open.values())) === JSON.stringify(before)) return;
  await tx.db.deleteFrom('pool_open_decisions').where('pool_id', '=', poolId).execute();
  for (const { kind, subject, value, by, at, since } of open.values()) {
    const row = { pool_id: poolId, kind, subject, value, decided_by: by, issued_at: at, since };
    await tx.db.insertInto('pool_open_decisions').values(row).execute();
  }
  await tx.db
    .updateTable('pool_state')
    .set((e) => ({ decisions: e('decisions', '+', 1) }))
    .execute();
}

/** A list as this node acts on it: with the decisions that nobody could sign yet. */
export async function rulesInForce(db: Db, document: AclDocument): Promise<AclDocument> {
  const decisions = await openDecisions(db, document.poolId);
  return decisions.length === 0 ? document : withDecisions(document, decisions);
}
