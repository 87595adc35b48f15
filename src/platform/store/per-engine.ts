import { PostgresQueryCompiler, sql, type OperationNodeSource, type RawBuilder, type RawNode } from 'kysely';
import type { EngineName } from './database.ts';

/** SQL as SQLite reads it, which carries what PostgreSQL reads instead. */
interface TwoSided extends RawNode {
  readonly postgres: RawNode;
}

/**
 * SQL that differs between the engines: each compiles its own side, wherever this stands in a query. So a query that was built for one
 * engine is also there for the other.
 */
export function perEngine<T>(sides: Readonly<Record<EngineName, RawBuilder<T>>>): RawBuilder<T> {
  const node: TwoSided = { ...sides.sqljs.toOperationNode(), postgres: sides.postgres.toOperationNode() };
  return sql<T>`${{ toOperationNode: () => node }}`;
}

/** PostgreSQL's side of what `perEngine` made; SQLite's is the node itself. */
export class ServerCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw('postgres' in node ? (node as TwoSided).postgres : node);
  }
}

/** A statement as text, or one that kysely compiles. */
export type EngineStatement = { readonly sql: string } | OperationNodeSource;

/**
 * The statements of a file that only one engine runs, both sides, with any values. Whoever chooses by the engine what to run lists it so,
 * as `engineStatements`: the other engine reads it at least, although a test of one engine never runs it.
 */
export type EngineStatements = Readonly<Record<EngineName, () => readonly EngineStatement[]>>;
