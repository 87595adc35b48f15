/** The functions of SQLite that we call; pointers and sizes are numbers. https://www.sqlite.org/c3ref/funclist.html */
export interface SqliteExports {
  malloc(size: number): number;
  free(pointer: number): void;
  sqlite3_open(path: number, result: number): number;
  sqlite3_close_v2(db: number): number;
  sqlite3_prepare_v2(db: number, sql: number, size: number, statement: number, tail: number): number;
  sqlite3_finalize(statement: number): number;
  sqlite3_step(statement: number): number;
  sqlite3_reset(statement: number): number;
  sqlite3_clear_bindings(statement: number): number;
  sqlite3_bind_blob(statement: number, index: number, value: number, size: number, destructor: number): number;
  sqlite3_bind_double(statement: number, index: number, value: number): number;
  sqlite3_bind_int(statement: number, index: number, value: number): number;
  sqlite3_bind_text(statement: number, index: number, value: number, size: number, destructor: number): number;
  sqlite3_column_count(statement: number): number;
  sqlite3_column_name(statement: number, column: number): number;
  sqlite3_column_type(statement: number, column: number): number;
  sqlite3_column_double(statement: number, column: number): number;
  sqlite3_column_text(statement: number, column: number): number;
  sqlite3_column_blob(statement: number, column: number): number;
  sqlite3_column_bytes(statement: number, column: number): number;
  sqlite3_changes(db: number): number;
  sqlite3_errmsg(db: number): number;
}

const names: readonly (keyof SqliteExports)[] = [
  'malloc',
  'free',
  'sqlite3_open',
  'sqlite3_close_v2',
  'sqlite3_prepare_v2',
  'sqlite3_finalize',
  'sqlite3_step',
  'sqlite3_reset',
  'sqlite3_clear_bindings',
  'sqlite3_bind_blob',
  'sqlite3_bind_double',
  'sqlite3_bind_int',
  'sqlite3_bind_text',
  'sqlite3_column_count',
  'sqlite3_column_name',
  'sqlite3_column_type',
  'sqlite3_column_double',
  'sqlite3_column_text',
  'sqlite3_column_blob',
  'sqlite3_column_bytes',
  'sqlite3_changes',
  'sqlite3_errmsg',
];

type Call = (a: number, b: number, c: number, d: number, e: number) => number;

/**
 * Sends the calls of all functions through one place, so that V8 can't compile one into its caller: that made Node die with SIGSEGV
 * (scripts/bench/README.md).
 */
export function callable(instance: Readonly<Record<string, unknown>>): SqliteExports {
  const table: Call[] = [];
  for (const name of names) table.push(instance[name] as Call);
  const invoke = (index: number, a: number, b: number, c: number, d: number, e: number): number =>
    (table[index] as Call)(a, b, c, d, e);
  const entries = names.map((name, index): [string, Call] => [name, (a, b, c, d, e) => invoke(index, a, b, c, d, e)]);
  return Object.fromEntries(entries) as unknown as SqliteExports;
}
