import type { Context } from '../../service/context.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { Problem } from '../../base/problem.ts';

/** A member to whom something can be encrypted. */
export interface KeyHolder {
  readonly memberId: string;
  /** compressed, 33 bytes */
  readonly publicKey: Uint8Array;
}

/**
 * The public keys of members, ordered by member id. Members who no longer exist are missing. A member's id is derived from the key, so a
 * key that was replaced in the store is refused before anything is encrypted to it.
 *
 * @throws Problem internal STORE_DAMAGED
 */
export async function publicKeysOf({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<KeyHolder[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('members')
    .select(['id', 'public_key'])
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
  return rows.map((row) => keyHolder(row));
}

/** @throws Problem internal STORE_DAMAGED */
export function keyHolder({ id, public_key: key }: { readonly id: string; readonly public_key: string }): KeyHolder {
  const publicKey = fromHex(key);
  if (memberIdOf(publicKey) !== id)
    throw new Problem(
      'internal',
      'STORE_DAMAGED',
      'A public key in the store does not belong to its member. Restore the store from a backup.',
    );
  return { memberId: id, publicKey };
}
