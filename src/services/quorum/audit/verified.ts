import type { Context } from '../../../service/context.ts';
import { concat, constantTimeEqual, utf8 } from '../../../crypto/bytes.ts';
import { hmacSha256, sha256 } from '../../../crypto/hash.ts';
import type { QuorumVerifiedRow } from '../../../platform/store/tables/quorum.ts';

/** Rows that one statement reads or writes. */
const PAGE = 500;

/** How far the audit trail is verified, and what follows from that part. */
export interface Mark {
  /** entries of the ledger */
  readonly size: number;
  /** of them those of the quorum */
  readonly records: number;
  /** hashes of the subtrees of the ledger of that size */
  readonly frontier: Uint8Array;
}

export const nothingVerified: Mark = { size: 0, records: 0, frontier: new Uint8Array() };

export async function readMark({ db }: Context): Promise<QuorumVerifiedRow | undefined> {
  return await db.selectFrom('quorum_verified').selectAll().where('id', '=', 1).executeTakeFirst();
}

/**
 * HMAC over the mark and the digests of all verified rows, in the order of their places: 32 bytes. Whoever writes to the database but has
 * not the node secret can't put an older digest beside an older row.
 *
 * @param alive called between two pages
 */
export async function sealOf(
  ctx: Context,
  { size, records, frontier }: Mark,
  alive: () => Promise<void>,
): Promise<Uint8Array> {
  let [chain, after, rows] = [new Uint8Array(32), '', 0];
  for (;;) {
    const page = await ctx.db
      .selectFrom('quorum_verified_rows')
      .selectAll()
      .where('place', '>', after)
      .orderBy('place')
      .limit(PAGE)
      .execute();
    const last = page[page.length - 1];
    if (last === undefined) break;
    chain = Uint8Array.from(sha256(chain, utf8(page.map(({ place, digest }) => `${place}\n${digest}\n`).join(''))));
    after = last.place;
    rows += page.length;
    await alive();
  }
  const counts = new BigUint64Array([BigInt(size), BigInt(records), BigInt(rows)]);
  return hmacSha256(ctx.keys.quorumAudit, concat(new Uint8Array(counts.buffer), chain, frontier));
}

/** Whether two seals are equal, in a time that tells nothing about them. */
export function isSameSeal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && constantTimeEqual(one, other);
}

/** @param digests by place; null: there is no such row */
export async function storeDigests({ db }: Context, digests: ReadonlyMap<string, string | null>): Promise<void> {
  const gone = [...digests].flatMap(([place, digest]) => (digest === null ? [place] : []));
  const kept = [...digests].flatMap(([place, digest]) => (digest === null ? [] : [{ place, digest }]));
  for (let at = 0; at < gone.length; at += PAGE)
    await db
      .deleteFrom('quorum_verified_rows')
      .where('place', 'in', gone.slice(at, at + PAGE))
      .execute();
  for (let at = 0; at < kept.length; at += PAGE)
    await db
      .insertInto('quorum_verified_rows')
      .values(kept.slice(at, at + PAGE))
      .onConflict((conflict) => conflict.column('place').doUpdateSet((e) => ({ digest: e.ref('excluded.digest') })))
      .execute();
}
