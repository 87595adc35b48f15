import { sql, type RawBuilder } from 'kysely';
import { perEngine } from './per-engine.ts';

/**
 * Whether a value of a row has a text in it, letter by letter. The engines share `like` alone, which takes SQLite three times as long: it
 * decides about a search in 100,000 names.
 */
export function contains(value: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return perEngine({
    sqljs: sql<boolean>`instr(${value}, ${text}) > 0`,
    postgres: sql<boolean>`strpos(${value}, ${text}) > 0`,
  });
}
