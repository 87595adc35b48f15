import type { Context } from '../context.ts';
import { fromUtf8 } from '../crypto/bytes.ts';
import { canonicalJson } from '../crypto/canonical-json.ts';

/** What opens the commitment of an entry. */
export interface Opening {
  readonly salt: Uint8Array;
  /** canonical JSON */
  readonly details: Uint8Array;
}

/** @returns undefined where the entry commits to nothing, or the details were erased */
export async function openingOf(ctx: Context, index: number): Promise<Opening | undefined> {
  return await ctx.db
    .selectFrom('ledger_openings')
    .select(['salt', 'details'])
    .where('leaf_index', '=', index)
    .executeTakeFirst();
}

/**
 * Erases the details of an entry. The entry and every proof about it stay; without the salt, nobody can find out what it
 * committed to by trying.
 *
 * @returns whether there were any
 */
export async function eraseOpening(tx: Context, index: number): Promise<boolean> {
  const erased = await tx.db.deleteFrom('ledger_openings').where('leaf_index', '=', index).executeTakeFirst();
  return erased.numDeletedRows > 0n;
}

/** Whether bytes are canonical JSON. */
export function isCanonical(bytes: Uint8Array): boolean {
  try {
    const text = fromUtf8(bytes);
    return canonicalJson(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
