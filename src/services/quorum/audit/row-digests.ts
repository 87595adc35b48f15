import { sql } from 'kysely';
import { toHex } from '../../../crypto/bytes.ts';
import { canonicalJsonBytes } from '../../../crypto/canonical-json.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import type { Db } from '../../../store/database.ts';
import type { QuorumTables } from '../../../store/tables/quorum.ts';

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
  const fields = Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? toHex(value) : value]);
  return sha256Hex(canonicalJsonBytes(Object.fromEntries(fields)));
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
        digests[placeOf([table, ...key])] = digestOf(row);
      }
    }
  }
  return digests;
}
