import { sql, type RawBuilder } from 'kysely';

/** The position of a document among the documents of its space. */
export interface Position {
  readonly at: number;
  readonly number: number;
}

/** The positions before all documents and after all of them. */
export const earliest: Position = { at: 0, number: 0 };
export const latest: Position = { at: Number.MAX_SAFE_INTEGER, number: 0 };

export function isEarliest({ at, number }: Position): boolean {
  return at === earliest.at && number === earliest.number;
}

function isLatest({ at, number }: Position): boolean {
  return at === latest.at && number === latest.number;
}

/** A condition on the columns `at` and `number`: from `low` to below `high`. What every document meets is left out, as it takes time to plan. */
export function inside(low: Position, high: Position): RawBuilder<boolean> {
  // The single columns come first: PostgreSQL can estimate rows between two values, but not between two pairs of values.
  const conditions = [sql<boolean>`true`];
  if (!isEarliest(low)) conditions.push(sql`at >= ${low.at} and (at, number) >= (${low.at}, ${low.number})`);
  if (!isLatest(high)) conditions.push(sql`at <= ${high.at} and (at, number) < (${high.at}, ${high.number})`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
