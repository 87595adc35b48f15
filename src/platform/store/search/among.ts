import { sql } from 'kysely';
import type { Among } from './window.ts';

/**
 * Documents for which SQL that is written as text is true. The text has names for values, `:reader`, and `:id` for the id of the document.
 * @param values of the other names
 */
export function amongWritten(text: string, values: Readonly<Record<string, unknown>>): Among {
  const parts = text.split(/:([a-z]+)/);
  return (id) =>
    sql.join(
      parts.map((part, at) => (at % 2 === 0 ? sql.raw(part) : part === 'id' ? id : sql`${values[part]}`)),
      sql``,
    );
}
