import { sql } from 'kysely';
import { Problem } from '../../../base/problem.ts';
import type { EngineStatements } from '../per-engine.ts';
import type { Side } from './table-shape.ts';

interface ForeignKey {
  table_name: string;
  name: string;
  definition: string;
}

const unchecked = sql`pragma defer_foreign_keys = on`;
const check = sql<{ table: string; parent: string }>`pragma foreign_key_check`;
const foreignKeys = sql<ForeignKey>`
  select conrelid::regclass::text as table_name, conname::text as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
  where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0`;

const dropped = ({ table_name: table, name }: ForeignKey) =>
  sql`alter table ${sql.raw(table)} drop constraint ${sql.ref(name)}`;
const added = ({ table_name: table, name, definition }: ForeignKey) =>
  sql`alter table ${sql.raw(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`;

const example = { table_name: 'jobs', name: 'known', definition: 'foreign key (id) references members (id)' };

export const engineStatements: EngineStatements = {
  sqljs: () => [unchecked, check],
  postgres: () => [foreignKeys, dropped(example), added(example)],
};

/**
 * Runs `load` with foreign keys unchecked, and checks all of them once afterwards. Rows come table by table, and the order of the tables
 * ignores their references. Must run inside a transaction.
 *
 * @throws Problem internal COPY_DIFFERS when a row refers to a missing row
 */
export async function withoutReferenceChecks<T>({ db, engine }: Side, load: () => Promise<T>): Promise<T> {
  if (engine === 'sqljs') {
    await unchecked.execute(db);
    const result = await load();
    const { rows } = await check.execute(db);
    const [broken] = rows;
    if (broken) throw dangling(`${broken.table} refers to rows of ${broken.parent}`);
    return result;
  }
  // Only superusers may switch the checks off, so the constraints are dropped. This locks the tables until the commit.
  const { rows: keys } = await foreignKeys.execute(db);
  for (const key of keys) await dropped(key).execute(db);
  const result = await load();
  for (const key of keys) {
    try {
      await added(key).execute(db);
    } catch (error) {
      if ((error as { code?: unknown }).code === foreignKeyViolation)
        throw dangling(`${key.table_name}, ${key.definition}`);
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
