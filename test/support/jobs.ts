import { sql } from 'kysely';
import type { Db } from '../../src/platform/store/database.ts';
import type { JobRow } from '../../src/platform/store/tables/tables.ts';

/** A row to write where a test needs any row. */
export function jobRow(id: string, row: Partial<JobRow> = {}): JobRow {
  return {
    id,
    kind: 'test',
    payload: '{}',
    run_at: 0,
    attempts: 0,
    deaths: 0,
    claimed_until: null,
    claim: null,
    schedule: null,
    last_error: null,
    created_at: 0,
    ...row,
  };
}

/** Writes a job into a store of any version, with the columns that the table has in each. */
export async function insertJobOfBefore(db: Db, id: string): Promise<void> {
  await sql`
    insert into jobs (id, kind, payload, run_at, attempts, created_at)
    values (${id}, 'test', '{}', 0, 0, 0)`.execute(db);
}
