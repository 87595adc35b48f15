import { sql, type RawBuilder } from 'kysely';

/** Where a document stands among those of its space. */
export interface Position {
  readonly at: number;
  readonly number: number;
}

/** Before all documents, and after all of them. */
export const earliest: Position = { at: 0, number: 0 };
export const latest: Position = { at: Number.MAX_SAFE_INTEGER, number: 0 };

export function isEarliest({ at, number }: Position): boolean {
  return at === earliest.at && number === earliest.number;
}

/** Below 0 where the first is the earlier one. */
export function compare(one: Position, other: Position): number {
  return one.at - other.at || one.number - other.number;
}

/** From `low` to below `high`, for the two columns of that name. */
export function inside(low: Position, high: Position): RawBuilder<boolean> {
  // The columns alone first: PostgreSQL knows how much of a table lies between two values, and not between two pairs of them.
  return sql<boolean>`at >= ${low.at} and at <= ${high.at}
    and (at, number) >= (${low.at}, ${low.number}) and (at, number) < (${high.at}, ${high.number})`;
}
