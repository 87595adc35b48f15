import { sql } from 'kysely';
import { toHex } from '../../../crypto/bytes.ts';
import { sha256HexOfText } from '../../../crypto/hash.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { QuorumAuditRow, QuorumTables } from '../../../platform/store/tables/quorum.ts';

/** The tables whose rows the audit trail covers, with the columns of their primary keys. The rest is what the audit itself keeps. */
const auditedTables = {
  quorum_members: ['id'],
  quorum_epochs: ['number'],
  quorum_state: ['id'],
  quorum_documents: ['id'],
  quorum_shares: ['document_id', 'generation', 'member_id'],
  quorum_sessions: ['id'],
  quorum_contributions: ['session_id', 'member_id'],
  quorum_reshares: ['id'],
  quorum_proposals: ['id'],
  quorum_votes: ['proposal_id', 'voter_id'],
  quorum_permits: ['proposal_id'],
  quorum_aliases: ['name'],
  quorum_bans: ['member_id'],
} as const satisfies { readonly [T in keyof QuorumTables]?: readonly (keyof QuorumTables[T])[] };

type AuditedTable = keyof typeof auditedTables;

/** What a verification compares: these tables, and the audit trail itself. */
export const verifiedTables = { ...auditedTables, quorum_audit: ['id'] } as const;

export type VerifiedTable = keyof typeof verifiedTables;
export type VerifiedRow = readonly [table: VerifiedTable, ...key: (string | number)[]];

/** A changed row: its table and the values of its primary key. */
export type ChangedRow = readonly [table: AuditedTable, ...key: (string | number)[]];

/** `quorum_votes/<proposal>/<voter>`: the name of a row in the audit trail. */
export function placeOf([table, ...key]: VerifiedRow): string {
  return [rowPrefix(table), ...key].join('/');
}

/** What the places of all rows of a table begin with, before a slash. */
export function rowPrefix(table: VerifiedTable): string {
  return table.slice('quorum_'.length);
}

/** SHA-256 over the canonical JSON of all columns, hex. Bytes count as hex, so both engines give the same. */
export function digestOf(row: Readonly<Record<string, unknown>>): string {
  // Sorted fields of text and whole numbers, so what V8 writes is canonical JSON, in a third of the time.
  const fields = Object.keys(row).toSorted();
  if (!fields.some((name) => row[name] instanceof Uint8Array)) return sha256HexOfText(JSON.stringify(row, fields));
  const plain = fields.map((name) => {
    const value = row[name];
    return [name, value instanceof Uint8Array ? toHex(value) : value] as const;
  });
  return sha256HexOfText(JSON.stringify(Object.fromEntries(plain)));
}

/** What the entry of the ledger commits to: SHA-256 over all of a record but the id of that entry, hex. */
export function auditHash(record: Omit<QuorumAuditRow, 'ledger_entry'>): string {
  const { id, action, actor_id: actorId, subject, details, changes, created_at: createdAt } = record;
  // In the order of canonical JSON.
  return sha256HexOfText(JSON.stringify({ action, actorId, changes, createdAt, details, id, subject }));
}

/** The digest of a record in the verified part of the trail, from its hash. */
export function recordDigest(ledgerEntry: string, hash: string): string {
  return `${ledgerEntry} ${hash}`;
}

/** What is compared of a row. A record of the trail has its hash already. */
export function rowDigest(table: VerifiedTable, row: Readonly<Record<string, unknown>>): string {
  if (table !== 'quorum_audit') return digestOf(row);
  const record = row as unknown as QuorumAuditRow;
  return recordDigest(record.ledger_entry, auditHash(record));
}

/** Rows that one statement reads. */
const BATCH = 50;

/**
 * The digests of rows as they are now in the transaction, by their places; null if there is no such row. Many shares change at once, so
 * rows of one table are read together.
 */
export async function digestsAt(db: Db, rows: readonly VerifiedRow[]): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {};
  for (const row of rows) digests[placeOf(row)] = null;
  for (const table of new Set(rows.map(([name]) => name))) {
    const columns = verifiedTables[table];
    const keys = rows.flatMap(([name, ...key]) => (name === table ? [key] : []));
    for (let at = 0; at < keys.length; at += BATCH) {
      const these = keys.slice(at, at + BATCH).map((key) => {
        const same = columns.map((column, part) => sql`${sql.ref(column)} = ${key[part]}`);
        return sql`(${sql.join(same, sql` and `)})`;
      });
      const { rows: found } = await sql<Record<string, unknown>>`
        select * from ${sql.table(table)} where ${sql.join(these, sql` or `)}`.execute(db);
      for (const row of found) {
        const key = columns.map((column) => row[column] as string | number);
        digests[placeOf([table, ...key])] = rowDigest(table, row);
      }
    }
  }
  return digests;
}
