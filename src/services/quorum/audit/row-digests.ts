import { sql } from 'kysely';
import { toHex } from '../../../crypto/bytes.ts';
import { canonicalJsonBytes } from '../../../crypto/canonical-json.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import type { Db } from '../../../store/database.ts';
import type { QuorumTables } from '../../../store/tables/quorum.ts';

/** The tables whose rows the audit trail covers, with the columns of their primary keys. The rest is what the audit itself keeps. */
export const auditedTables = {
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

export type AuditedTable = keyof typeof auditedTables;

/** A changed row: its table and the values of its primary key. */
export type ChangedRow = readonly [table: AuditedTable, ...key: (string | number)[]];

/** `quorum_votes/<proposal>/<voter>`: the name of a row in the audit trail. */
export function placeOf([table, ...key]: ChangedRow): string {
  return [table.slice('quorum_'.length), ...key].join('/');
}

/** SHA-256 over the canonical JSON of all columns, hex. Bytes count as hex, so both engines give the same. */
export function digestOf(row: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? toHex(value) : value]);
  return sha256Hex(canonicalJsonBytes(Object.fromEntries(fields)));
}

/** The digest of a row as it is now in the transaction; null if there is none. */
export async function digestAt(db: Db, [table, ...key]: ChangedRow): Promise<string | null> {
  const conditions = auditedTables[table].map((column, at) => sql`${sql.ref(column)} = ${key[at]}`);
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows[0] === undefined ? null : digestOf(rows[0]);
}
