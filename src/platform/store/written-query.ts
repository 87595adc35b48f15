import { CompiledQuery } from 'kysely';
import type { Db } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** A statement with the values of one execution. */
type Written<Row> = (...parameters: readonly unknown[]) => CompiledQuery<Row>;

const repeated = new WeakSet<object>();

/** Whether the text of a statement comes again and again. */
export function isRepeated({ query }: Pick<CompiledQuery, 'query'>): boolean {
  return repeated.has(query);
}

/**
 * SQL that is written as text because it runs with every request. Building it with kysely costs three times the cost of running it, and
 * wrapping it anew each time still costs a quarter. Both engines accept `$1`: SQLite reads it as a parameter's name, and numbers names in
 * the order of their first use.
 *
 * @returns the statement with the values of one execution
 */
export function writtenQuery<Row = unknown>(sql: string): Written<Row> {
  const statement = writtenOnce<Row>(sql);
  repeated.add(statement().query);
  return statement;
}

function writtenOnce<Row>(sql: string): Written<Row> {
  const { query, queryId } = CompiledQuery.raw(sql);
  return (...parameters) => ({ query, queryId, sql, parameters });
}

/**
 * A written query whose parameters have names, `:moment`, for texts that are put together from parts. It numbers them in the order of their
 * first use.
 */
export function namedQuery<Row = unknown, Name extends string = string>(
  text: string,
): (values: Readonly<Record<Name, unknown>>) => CompiledQuery<Row> {
  const names: Name[] = [];
  const sql = text.replaceAll(/:([a-z]+)/g, (_, name: Name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const written = writtenQuery<Row>(sql);
  return (values) => written(...names.map((name) => values[name]));
}

/** The row of a statement that always has one. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement has no row');
  return row;
}

/** Longer lists of values are written anew, and cost little beside what they do. */
const REMEMBERED = { list: 512, rows: 16 } as const;

/**
 * A written query with a list of any length. Lists are filled up to powers of two with their last value, which changes nothing, so that few
 * texts are read and planned.
 * @param before the number of its other parameters, which stand before the list, from $1 on
 * @param write the text; its argument is the list, as after `in`
 * @returns takes the list, and then the others
 */
export function writtenList<Row = unknown>(
  before: number,
  write: (list: string) => string,
): (list: readonly unknown[], ...others: readonly unknown[]) => CompiledQuery<Row> {
  const texts = new Map<number, Written<Row>>();
  const textOf = (length: number): string =>
    write(`(${Array.from({ length }, (_, index) => `$${before + index + 1}`).join(', ')})`);
  return (list, ...others) => {
    const { length } = list;
    if (length > REMEMBERED.list) return writtenOnce<Row>(textOf(length))(...others, ...list);
    const filled = length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
    let written = texts.get(filled);
    if (written === undefined) {
      written = writtenQuery<Row>(textOf(filled));
      texts.set(filled, written);
    }
    return written(...others, ...list, ...Array.from({ length: filled - length }, () => list.at(-1)));
  };
}

const inserts = new Map<string, Written<unknown>>();

/**
 * Inserts rows that all have the same columns.
 * @param ending what follows the values, such as `on conflict do nothing`
 */
export async function insertRows<Name extends keyof Tables>(
  db: Db,
  table: Name,
  rows: readonly Tables[Name][],
  ending = '',
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const shape = `${table} ${columns.join()} ${rows.length} ${ending}`;
  let written = inserts.get(shape);
  if (written === undefined) {
    const text = insertText(table, columns, rows.length, ending);
    written = rows.length > REMEMBERED.rows ? writtenOnce(text) : writtenQuery(text);
    if (rows.length <= REMEMBERED.rows) inserts.set(shape, written);
  }
  await db.executeQuery(written(...rows.flatMap((row) => columns.map((column) => row[column as keyof typeof row]))));
}

function insertText(table: string, columns: readonly string[], count: number, ending: string): string {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const tuples = Array.from({ length: count }, (_, row) => {
    const marks = columns.map((_column, index) => `$${row * columns.length + index + 1}`);
    return `(${marks.join(', ')})`;
  });
  return `insert into "${table}" (${names}) values ${tuples.join(', ')} ${ending}`;
}
