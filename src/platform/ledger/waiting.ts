import type { Context } from '../../service/context.ts';
import { constantTimeEqual, fromHex, fromUtf8, toHex, utf8 } from '../../crypto/bytes.ts';
import { hmacSha256 } from '../../crypto/hash.ts';
import { bytesLiteral, runAtCommit, textLiteral } from '../store/at-commit.ts';
import type { EngineStatements } from '../store/per-engine.ts';
import type { LedgerWaitingRow } from '../store/tables/ledger.ts';
import { writtenQuery } from '../store/written-query.ts';
import type { PartedEntry } from '../../crypto/formats/ledger/entry.ts';

/** An entry whose index is not known yet. */
export interface WaitingEntry {
  readonly id: string;
  readonly entry: PartedEntry;
  readonly opening: { readonly salt: Uint8Array; readonly details: Uint8Array } | undefined;
}

/** An attacker who can write to the database can't make a waiting entry without the node secret. */
function sealOf(keys: Context['keys'], { id, content }: Pick<LedgerWaitingRow, 'id' | 'content'>): Uint8Array {
  // The seal of a head begins with a number.
  return hmacSha256(keys.ledgerHead, utf8(`waiting\n${id}\n`), content);
}

/** The row of a waiting entry. Its content is lines of canonical JSON and hex: neither has line ends. */
export function waitingRow(
  keys: Context['keys'],
  { id, entry, opening }: WaitingEntry,
): Omit<LedgerWaitingRow, 'position'> {
  const opened = opening === undefined ? '' : `\n${toHex(opening.salt)}\n${fromUtf8(opening.details)}`;
  const content = utf8(`${entry.before}\n${entry.after}${opened}`);
  return { id, content, seal: sealOf(keys, { id, content }) };
}

function insertion({ id, content, seal }: Omit<LedgerWaitingRow, 'position'>): string {
  const values = [textLiteral(id), bytesLiteral(content), bytesLiteral(seal)];
  return `insert into ledger_waiting (id, content, seal) values (${values.join(', ')})`;
}

export const engineStatements: EngineStatements = {
  sqljs: () => [],
  postgres: () => [{ sql: insertion({ id: '0', content: utf8('content'), seal: utf8('seal') }) }],
};

/**
 * Stores an entry on PostgreSQL, together with the commit. The transaction collides with no other because of it: only transactions of
 * `inTurn` read these rows.
 */
export async function storeWaiting(tx: Context, waiting: WaitingEntry): Promise<void> {
  await runAtCommit(tx.db, insertion(waitingRow(tx.keys, waiting)));
}

/** A stored entry, and whether it is in the ledger already: somebody who can write to the database could put back what waited once. */
export interface StoredEntry extends LedgerWaitingRow {
  readonly recorded: number;
}

/** Waiting entries in the order in which they were stored. */
export async function readWaiting(
  db: Context['db'],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<StoredEntry[]> {
  return (await db.executeQuery(select(after, limit))).rows;
}

const select = writtenQuery<StoredEntry>(
  `select position, id, content, seal,
    (select count(*) from ledger_entries e where e.entry_id = w.id) as recorded
  from ledger_waiting w where position > $1 order by position limit $2`,
);

/** @returns undefined when the row is not as this node wrote it */
export function openWaiting(keys: Context['keys'], row: LedgerWaitingRow): WaitingEntry | undefined {
  if (!constantTimeEqual(row.seal, sealOf(keys, row))) return undefined;
  const [before = '', after = '', salt, details] = fromUtf8(row.content).split('\n');
  const opening =
    salt === undefined || details === undefined ? undefined : { salt: fromHex(salt), details: utf8(details) };
  return { id: row.id, entry: { before, after }, opening };
}
