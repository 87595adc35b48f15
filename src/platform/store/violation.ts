/** A write would have given two rows the same unique key. Both engines throw this error. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
  readonly table: string;
  readonly columns: readonly string[];

  constructor(table: string, columns: readonly string[], options: { cause?: unknown } = {}) {
    super(`${table} has a row with this ${columns.join(', ')} already`, { cause: options.cause });
    this.table = table;
    this.columns = columns;
  }
}

/** @param column only violations of a key that contains this column count */
export function isUniqueViolation(error: unknown, column?: string): error is UniqueViolation {
  return error instanceof UniqueViolation && (column === undefined || error.columns.includes(column));
}
