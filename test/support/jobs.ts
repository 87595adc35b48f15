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
