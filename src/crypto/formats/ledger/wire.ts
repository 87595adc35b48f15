import * as v from 'valibot';

/** Requests between nodes about their ledgers. */
export const protocol = 'ledger-witness';

export const hex = (bytes: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`)));
export const origin = v.pipe(v.string(), v.maxLength(100));
export const sizes = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(2 ** 52));
export const hashes = v.pipe(v.array(hex(32)), v.maxLength(64));

/** How far a ledger goes, of those who tell of their own and of those who pass on what they know of others. */
export const ledgerEnd = v.object({ origin, size: sizes, root: hex(32) });
export type LedgerEnd = v.InferOutput<typeof ledgerEnd>;
