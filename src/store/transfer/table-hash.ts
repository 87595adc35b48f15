import { createHash } from 'node:crypto';
import type { Row, Value } from './row-pages.ts';

/** What the rows of a table add up to. */
export interface TableHash {
  add(row: Row): void;
  readonly rows: number;
  /** 64 hex digits; nothing can be added afterwards */
  digest(): string;
}

/**
 * SHA-256 over the rows in the order of the primary key, which is the same on both engines: text columns are sorted byte by byte.
 * Each value is fed as a letter for its type, its length and its content, so that no two tables are fed alike.
 */
export function createTableHash(columns: readonly string[]): TableHash {
  const names = [...columns].sort();
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(row) {
      for (const name of names) feed(row[name] ?? null);
      rows += 1;
    },
    get rows() {
      return rows;
    },
    digest: () => hash.digest('hex'),
  };

  function feed(value: Value): void {
    if (value === null) hash.update('n');
    else if (typeof value === 'number') hash.update(`i${value};`);
    else if (typeof value === 'string') hash.update(`t${Buffer.byteLength(value)};`).update(value);
    else hash.update(`b${value.length};`).update(value);
  }
}
