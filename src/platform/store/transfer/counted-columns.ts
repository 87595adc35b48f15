import { sql } from 'kysely';
import type { EngineStatements } from '../per-engine.ts';
import type { Side } from './table-shape.ts';

interface Counted {
  readonly table: string;
  readonly name: string;
}

const counted = sql<Counted>`
  select t.relname::text as "table", c.attname::text as name
  from pg_class t join pg_attribute c on c.attrelid = t.oid and c.attidentity <> '' and not c.attisdropped
  where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')`;

const raised = ({ table, name }: Counted) => sql`select setval(pg_get_serial_sequence(quote_ident(${table}), ${name}),
  greatest(coalesce(max(${sql.ref(name)}), 0), 0) + 1, false) from ${sql.table(table)}`;

export const engineStatements: EngineStatements = {
  sqljs: () => [],
  postgres: () => [counted, raised({ table: 'ledger_waiting', name: 'position' })],
};

/**
 * Has PostgreSQL count on after the rows that were copied. It does not look at numbers that come with a row, so it would give them out again.
 * The embedded engine counts from the rows themselves.
 */
export async function countOn({ db, engine }: Side): Promise<void> {
  if (engine === 'sqljs') return;
  const { rows } = await counted.execute(db);
  for (const column of rows) await raised(column).execute(db);
}
