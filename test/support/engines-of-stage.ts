import type { EngineName } from '../../src/platform/store/database.ts';
import { stage } from './stage.ts';

/** What CONCLAVE_TEST_ENGINES says (sqljs, postgres or both), or both. */
export function chosenEngines(given = process.env['CONCLAVE_TEST_ENGINES'] ?? ''): readonly EngineName[] {
  if (given === '' || given === 'both') return ['sqljs', 'postgres'];
  if (given === 'sqljs' || given === 'postgres') return [given];
  throw new Error(`CONCLAVE_TEST_ENGINES is ${JSON.stringify(given)}; it can be sqljs, postgres or both.`);
}

/** @param one whether one engine will do: the embedded one, unless only the other was asked for */
export function ofStage(chosen: readonly EngineName[], one: boolean): readonly EngineName[] {
  return one ? chosen.slice(0, 1) : chosen;
}

/** Whether this run needs a PostgreSQL at all. */
export function usesPostgres(): boolean {
  return ofStage(chosenEngines(), stage === 'quick').includes('postgres');
}
