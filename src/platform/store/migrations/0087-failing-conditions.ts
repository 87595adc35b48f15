import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Entries of access lists whose conditions fail let nothing through any more. A job names once those whose effect changes. */
export async function up(db: Db): Promise<void> {
  await sql`
    insert into jobs (id, kind, payload, run_at, attempts, created_at)
    select ${'file-failing-conditions'}, ${'file-failing-conditions'}, '{}', max(applied_at), 0, max(applied_at)
    from schema_migrations where exists (select 1 from file_acl_entries where conditions is not null)
    having max(applied_at) is not null`.execute(db);
}
