import { CompiledQuery } from 'kysely';

/**
 * SQL that is written out because it runs with every request: building it with kysely costs three times what running it does, and
 * wrapping it anew each time still a quarter. Both engines take `$1`: to SQLite it is a parameter's name, and names count in the
 * order in which they first stand.
 *
 * @returns the statement with the values of one execution
 */
export function writtenQuery<Row = unknown>(sql: string): (...parameters: readonly unknown[]) => CompiledQuery<Row> {
  const { query, queryId } = CompiledQuery.raw(sql);
  return (...parameters) => ({ query, queryId, sql, parameters });
}
