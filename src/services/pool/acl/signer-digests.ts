import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { AclSignature } from '../../../crypto/formats/access-list/chain.ts';

/** Bytes of a digest: enough that two are not the same by accident. Nothing is trusted because of one. */
export const SIGNERS_BYTES = 16;

const PAGE = 500;

/**
 * A digest of who has signed a list, whatever the order of the signatures and their bytes.
 * @param before of an active list: the digest of the one before it, so that the last one says who signed all of them
 */
export function signersDigest(hash: string, signatures: readonly AclSignature[], before = ''): string {
  const ids = signatures.map(({ memberId }) => memberId).toSorted();
  return toHex(sha256(utf8([before, hash, ...ids].join('\n'))).subarray(0, SIGNERS_BYTES));
}

/** The digest of an active list that is stored after those before it; empty if theirs are not made. */
export async function nextSigners(
  db: Db,
  { poolId, version }: { readonly poolId: string; readonly version: number },
  hash: string,
  signatures: readonly AclSignature[],
): Promise<string> {
  const before = version === 1 ? undefined : await signersAt(db, poolId, version - 1);
  return version > 1 && before === '' ? '' : signersDigest(hash, signatures, before);
}

/** The digest of the active list of a version; empty if there is none. */
export async function signersAt(db: Db, poolId: string, version: number): Promise<string> {
  const [signers = ''] = await signersOfVersions(db, poolId, [version]);
  return signers;
}

/** The digests of the active lists of some versions, in the same order. */
export async function signersOfVersions(db: Db, poolId: string, versions: readonly number[]): Promise<string[]> {
  if (versions.length === 0) return [];
  const rows = await db
    .selectFrom('pool_lists')
    .select(['version', 'signers'])
    .where('pool_id', '=', poolId)
    .where('version', 'in', [...versions])
    .execute();
  const made = new Map(rows.map(({ version, signers }) => [version, signers]));
  return versions.map((version) => made.get(version) ?? '');
}

/** Makes the digests anew from a version on, and all that are not made. */
export async function makeSigners(db: Db, poolId: string, from = Number.POSITIVE_INFINITY): Promise<void> {
  const missing = await db
    .selectFrom('pool_lists')
    .select((e) => e.fn.min('version').as('version'))
    .where('pool_id', '=', poolId)
    .where('signers', '=', '')
    .executeTakeFirst();
  let next = Math.min(from, missing?.version ?? Number.POSITIVE_INFINITY);
  let before = next > 1 && Number.isFinite(next) ? await signersAt(db, poolId, next - 1) : '';
  while (Number.isFinite(next)) {
    const rows = await db
      .selectFrom('pool_lists')
      .select(['version', 'hash', 'signatures'])
      .where('pool_id', '=', poolId)
      .where('version', '>=', next)
      .orderBy('version')
      .limit(PAGE)
      .execute();
    for (const { version, hash, signatures } of rows) {
      before = signersDigest(hash, JSON.parse(signatures) as AclSignature[], before);
      await db
        .updateTable('pool_lists')
        .set({ signers: before })
        .where('pool_id', '=', poolId)
        .where('version', '=', version)
        .execute();
      next = version + 1;
    }
    if (rows.length < PAGE) break;
  }
  await makeSidesSigners(db, poolId);
}

async function makeSidesSigners(db: Db, poolId: string): Promise<void> {
  const rows = await db
    .selectFrom('pool_evidence')
    .select(['hash', 'signatures'])
    .where('pool_id', '=', poolId)
    .where('signers', '=', '')
    .execute();
  for (const { hash, signatures } of rows)
    await db
      .updateTable('pool_evidence')
      .set({ signers: signersDigest(hash, JSON.parse(signatures) as AclSignature[]) })
      .where('pool_id', '=', poolId)
      .where('hash', '=', hash)
      .execute();
}
