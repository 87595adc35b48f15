import { sql } from 'kysely';
import { Problem } from '../../problem.ts';
import type { Side } from './table-shape.ts';

interface ForeignKey {
  table_name: string;
  name: string;
  definition: string;
}

/**
 * Runs `load` with foreign keys unchecked, and checks all of them once afterwards. Rows come table by table, and the order of the tables
 * ignores their references. Must run inside a transaction.
 *
 * @throws Problem internal COPY_DIFFERS when a row refers to a missing row
 */
export async function withoutReferenceChecks<T>({ db, engine }: Side, load: () => Promise<T>): Promise<T> {
  if (engine === 'sqljs') {
    await sql`pragma defer_foreign_keys = on`.execute(db);
    const result = await load();
    const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
    const [broken] = rows;
    if (broken) throw dangling(`${broken.table} refers to rows of ${broken.parent}`);
    return result;
  }
  // Only superusers may switch the checks off, so the constraints are dropped. This locks the tables until the commit.
  const { rows: keys } = await sql<ForeignKey>`
    select conrelid::regclass::text as table_name, conname::text as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0`.execute(db);
  for (const { table_name: table, name } of keys)
    await sql`alter table ${sql.raw(table)} drop constraint ${sql.ref(name)}`.execute(db);
  const result = await load();
  for (const { table_name: table, name, definition } of keys) {
    try {
      await sql`alter table ${sql.raw(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db);
    } catch (error) {
      if ((error as { code?: unknown }).code === foreignKeyViolation) throw dangling(`${table}, ${definition}`);
      throw error;
    }
  }
  return result;
}

/** SQLSTATE of PostgreSQL. */
const foreignKeyViolation = '23503';

function dangling(what: string): Problem {
  return new Problem('internal', 'COPY_DIFFERS', `Rows refer to missing rows (${what}). Nothing was copied.`);
}
