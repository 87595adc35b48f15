import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { EngineStatements } from './per-engine.ts';
import { countRows, tableShapes } from './transfer/table-shape.ts';

const bytesOf = (tables: readonly string[]) => sql<{ bytes: number }>`
  select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
  where relnamespace = current_schema()::regnamespace and relname in (${sql.join(tables)})`;

export const engineStatements: EngineStatements = { sqljs: () => [], postgres: () => [bytesOf(['jobs'])] };

/** Bytes that the database takes, including its log and its indexes. */
export async function databaseBytes(database: Database, dataDir: string): Promise<number> {
  if (database.engine === 'sqljs') {
    const sizes = await Promise.all(
      ['store.db', 'store.db-wal'].map(async (name) => await sizeOf(join(dataDir, name))),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  const tables = (await tableShapes(database)).map(({ name }) => name);
  const { rows } = await bytesOf(tables).execute(database.db);
  return rows[0]?.bytes ?? 0;
}

export async function tableCounts(database: Database): Promise<{ name: string; rows: number }[]> {
  const counts: { name: string; rows: number }[] = [];
  for (const { name } of await tableShapes(database)) counts.push({ name, rows: await countRows(database.db, name) });
  return counts;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
