import type { Context } from '../../service/context.ts';
import { concat, constantTimeEqual, utf8 } from '../../crypto/bytes.ts';
import { hmacSha256 } from '../../crypto/hash.ts';
import { HASH_LENGTH } from '../../crypto/merkle.ts';
import { Problem } from '../../base/problem.ts';
import type { LedgerHeadRow } from '../store/tables/ledger.ts';
import { writtenQuery } from '../store/written-query.ts';
import { followLog } from './follow-log.ts';

/** The current end of the ledger. */
export interface Head {
  readonly size: number;
  /** hashes of the complete subtrees at the right edge, largest first */
  readonly frontier: readonly Uint8Array[];
  /** the log key under which the newest entries were written */
  readonly logKey: string;
  /** index of the genesis entry of that key */
  readonly genesis: number;
}

const select = writtenQuery<LedgerHeadRow>(
  'select size, frontier, log_key, genesis, seal from ledger_head where id = 1',
);

/**
 * Reads the head. Afterwards `logKeyOf` gives the key of the log that it is of, if that is a log of this node.
 *
 * @returns undefined before the first entry
 * @throws Problem internal LEDGER_DAMAGED when the row was changed after this node wrote it
 */
export async function readHead(ctx: Pick<Context, 'db' | 'keys'>, currentKey: string): Promise<Head | undefined> {
  const { rows } = await ctx.db.executeQuery(select());
  const row = rows[0];
  if (row === undefined) return undefined;
  // The node may have begun a new log in another process.
  const current = row.log_key === currentKey || followLog(ctx.keys, row.log_key);
  // Any other log key means that another node secret sealed the head, so the seal can't be checked: the store came from elsewhere.
  // The log then continues under a new key, and a genesis entry records this.
  if (current && !constantTimeEqual(row.seal, sealOf(ctx.keys, row))) throw damaged();
  if (row.frontier.length !== HASH_LENGTH * onesOf(row.size)) throw damaged();
  return { size: row.size, frontier: hashesIn(row.frontier), logKey: row.log_key, genesis: row.genesis };
}

/** The row of a head with its seal. An attacker who can write to the database can't make a valid seal without the node secret. */
export function headRow(keys: Context['keys'], { size, frontier, logKey, genesis }: Head): LedgerHeadRow {
  const row = { id: 1, size, frontier: concat(...frontier), log_key: logKey, genesis };
  return { ...row, seal: sealOf(keys, row) };
}

export function sealOf(keys: Context['keys'], row: Omit<LedgerHeadRow, 'seal'>): Uint8Array {
  return hmacSha256(keys.ledgerHead, utf8(`${row.size}\n${row.log_key}\n${row.genesis}\n`), row.frontier);
}

export function hashesIn(bytes: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += HASH_LENGTH) hashes.push(bytes.slice(at, at + HASH_LENGTH));
  return hashes;
}

/** The number of complete subtrees that cover a tree: one for each 1 bit of its size. */
export function onesOf(size: number): number {
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}

function damaged(): Problem {
  return new Problem(
    'internal',
    'LEDGER_DAMAGED',
    'The head of the ledger was not written by this node. Nothing is recorded until the store is restored. Check it with: conclave ledger verify --full',
  );
}
